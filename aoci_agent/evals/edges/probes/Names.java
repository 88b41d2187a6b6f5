// Where the types named in Java files are declared, asked of javac: run by oracles.py.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.tools.*;

public class Names {
    public static void main(String[] arguments) throws Exception {
        String request = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        List<String> texts = new ArrayList<>();
        Matcher matcher = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(request);
        while (matcher.find()) texts.add(unescaped(matcher.group(1)));
        Path root = Path.of(texts.get(1)); // "root", ROOT, "sources", SOURCE...
        Set<String> sources = new HashSet<>(texts.subList(3, texts.size()));

        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(path -> path.toString().endsWith(".java"))
                // Modules would hide whatever is not on a module path; without them all is visible.
                .filter(path -> !path.endsWith("module-info.java")).sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, StandardCharsets.UTF_8);
        List<String> options = List.of("-proc:none", "-implicit:none", "-nowarn", "-Xlint:none", "--should-stop=ifError=FLOW", "-Xmaxerrs", "1");
        JavacTask task = (JavacTask) compiler.getTask(null, manager, d -> {}, options, null, manager.getJavaFileObjectsFromPaths(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : units) {
            String source = relative(root, unit);
            if (!sources.contains(source)) continue;
            Finder finder = new Finder(trees, root, unit.getSourceFile().getCharContent(true).toString());
            finder.scan(unit, null);
            System.out.println("{\"source\": " + quoted(source) + ", \"references\": [" + String.join(", ", finder.found) + "]}");
        }
    }

    static final class Finder extends TreePathScanner<Void, Void> {
        final Set<String> found = new TreeSet<>();
        private final Trees trees;
        private final Path root;
        private final String text;

        Finder(Trees trees, Path root, String text) {
            this.trees = trees;
            this.root = root;
            this.text = text;
        }

        @Override
        public Void visitIdentifier(IdentifierTree node, Void nothing) {
            String name = node.getName().toString();
            if (isWritten(node, name)) put(name);
            return super.visitIdentifier(node, nothing);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree node, Void nothing) {
            String name = node.getIdentifier().toString();
            if (isWritten(node, name)) put(name);
            return super.visitMemberSelect(node, nothing);
        }

        // The compiler adds what is not in the text: types of lambda parameters, calls of `super`.
        private boolean isWritten(Tree node, String name) {
            long end = trees.getSourcePositions().getEndPosition(getCurrentPath().getCompilationUnit(), node);
            return end >= name.length() && text.startsWith(name, (int) end - name.length());
        }

        private void put(String name) {
            Element element = trees.getElement(getCurrentPath());
            if (element == null) {
                add(name, null);
                return;
            }
            if (element.getKind() == ElementKind.PACKAGE) return;
            boolean named = element.getKind().isClass() || element.getKind().isInterface();
            boolean member = element.getModifiers().contains(Modifier.STATIC) && element.getEnclosingElement() != null;
            if (!named && !member) {
                add(name, "");
                return;
            }
            if (named && element.asType().getKind() == TypeKind.ERROR) {
                add(name, null);
                return;
            }
            Element top = element;
            while (top.getEnclosingElement() != null && top.getEnclosingElement().getKind() != ElementKind.PACKAGE) top = top.getEnclosingElement();
            TreePath place = trees.getPath(top);
            String target = place == null ? "" : relative(root, place.getCompilationUnit());
            add(name, target);
            if (named || place != null) add(top.getSimpleName().toString(), target);
        }

        private void add(String name, String target) {
            found.add("[" + quoted(name) + ", " + (target == null ? "null" : quoted(target)) + "]");
        }
    }

    static String relative(Path root, CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace('\\', '/');
    }

    static String unescaped(String text) {
        Matcher matcher = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(.))").matcher(text);
        return matcher.replaceAll(r -> Matcher.quoteReplacement(r.group(1) != null ? String.valueOf((char) Integer.parseInt(r.group(1), 16)) : r.group(2)));
    }

    static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
