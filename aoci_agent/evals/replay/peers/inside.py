"""Run within the sandbox, by itself: opens the only port an agent can reach, hands it out, becomes the agent.

The sandbox has a network of its own, in which nobody is. A socket that listens there is sent through
the connection `descriptor` to the proxy outside, which then accepts what the agent connects to. So
the agent reaches the proxy and nothing else. Standard library only: it is run as text.

`inside DESCRIPTOR PORT FOLDER COMMAND...`
"""

import os
import socket
import sys


def main() -> None:
    """Never returns: the agent takes this process."""
    descriptor, port, folder, *command = sys.argv[1:]
    listening = socket.create_server(("127.0.0.1", int(port)), backlog=64)
    with socket.socket(fileno=int(descriptor)) as channel:
        socket.send_fds(channel, [b"port"], [listening.fileno()])
    listening.close()
    os.chdir(folder)
    os.environ["PWD"] = folder  # some go by it
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
