"""The agent of the sandbox's tests: a process with a secret in its environment, sockets and a log.

`victim.py agent-of-the-test LOG ABSTRACT SOCKET...` prints the number of its port, for TCP and UDP.
"""

import os
import selectors
import signal
import socket
import sys


def main() -> None:
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(_number: int, _frame: object) -> None:
        os.write(log, b"signal\n")

    signal.signal(signal.SIGUSR1, note)
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(tcp.getsockname())
    listening = {tcp: b"tcp\n"}
    for address in ("\0" + sys.argv[3], *sys.argv[4:]):
        local = socket.socket(socket.AF_UNIX)
        local.bind(address)
        local.listen()
        listening[local] = b"local " + address.encode().replace(b"\0", b"@") + b"\n"
    selector = selectors.DefaultSelector()
    for one in (*listening, udp):
        selector.register(one, selectors.EVENT_READ)
    sys.stdout.write(f"{tcp.getsockname()[1]}\n")
    sys.stdout.flush()
    while True:
        for key, _ in selector.select():
            if key.fileobj is udp:
                _, sender = udp.recvfrom(100)
                os.write(log, b"udp\n")
                udp.sendto(b"heard", sender)
                continue
            assert isinstance(key.fileobj, socket.socket)
            os.write(log, listening[key.fileobj])
            key.fileobj.accept()[0].close()


if __name__ == "__main__":
    main()
