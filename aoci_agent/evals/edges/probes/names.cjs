// Where imports of TypeScript and JavaScript lead, asked of the compiler: run by oracles.py.
"use strict";
const fs = require("fs");
const path = require("path");
const { builtinModules } = require("module");
const ts = require(path.join(process.argv[2], "typescript.js"));

const { root, sources } = JSON.parse(fs.readFileSync(0, "utf8"));
const FALLBACK = {
  allowJs: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.ESNext,
};
const FIXED = { noLib: true, types: [], allowJs: true, noEmit: true, skipLibCheck: true, composite: false, resolveJsonModule: true, incremental: false, maxNodeModuleJsDepth: 0 };

function inside(file) {
  const relative = path.relative(root, file);
  return relative.startsWith("..") || relative.split(path.sep).includes("node_modules") ? "" : relative.split(path.sep).join("/");
}

function parsed(file) {
  return ts.getParsedCommandLineOfConfigFile(file, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} });
}

// The nearest configuration; where it only refers to others, the one of them that has the file.
const configs = new Map();
function optionsFor(source) {
  for (let folder = path.dirname(path.join(root, source)); ; folder = path.dirname(folder)) {
    for (const name of ["tsconfig.json", "jsconfig.json"]) {
      const file = path.join(folder, name);
      if (!fs.existsSync(file)) continue;
      if (!configs.has(file)) configs.set(file, parsed(file));
      const config = configs.get(file);
      if (!config) continue;
      for (const other of config.projectReferences || []) {
        const place = ts.resolveProjectReferencePath(other);
        if (!configs.has(place)) configs.set(place, fs.existsSync(place) ? parsed(place) : undefined);
        if (configs.get(place)?.fileNames.includes(path.join(root, source))) return [place, configs.get(place).options];
      }
      return [file, config.options];
    }
    if (path.relative(root, folder) === "" || folder === path.dirname(folder)) return ["", FALLBACK];
  }
}

const dependencies = new Map();
function isDependency(folder, module) {
  const name = module.split("/").slice(0, module.startsWith("@") ? 2 : 1).join("/");
  if (module.startsWith("node:") || builtinModules.includes(name)) return true;
  for (; ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    if (!dependencies.has(file)) {
      let found = {};
      try { found = JSON.parse(fs.readFileSync(file, "utf8")); } catch { /* none, or none that can be read */ }
      dependencies.set(file, new Set(Object.keys({ ...found.dependencies, ...found.devDependencies, ...found.peerDependencies })));
    }
    if (dependencies.get(file).has(name)) return true;
    if (path.relative(root, folder) === "" || folder === path.dirname(folder)) return false;
  }
}

function references(program, options, file) {
  const checker = program.getTypeChecker();
  const found = new Map();
  const namespaces = new Set();
  const put = (name, target) => found.set(JSON.stringify([name, target]), [name, target]);

  function moduleTarget(literal) {
    const result = ts.resolveModuleName(literal.text, file.fileName, options, ts.sys).resolvedModule;
    if (result) return inside(fs.realpathSync(result.resolvedFileName));
    return isDependency(path.dirname(file.fileName), literal.text) ? "" : null;
  }
  function defined(node, names, literal) {
    let symbol = checker.getSymbolAtLocation(node);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const declaration = symbol?.declarations?.[0];
    let target = declaration ? inside(declaration.getSourceFile().fileName) : null;
    if (target === null && literal && moduleTarget(literal) === "") target = "";
    for (const name of new Set([...names, declaration ? symbol.name : names[0]])) put(name, target);
  }
  function named(elements, literal) {
    for (const item of elements) defined(item.name, [(item.propertyName || item.name).text, item.name.text], literal);
  }
  function imported(node, literal) {
    const clause = node.importClause;
    const whole = !clause || (clause.namedBindings && ts.isNamespaceImport(clause.namedBindings));
    put(whole ? "*" : "", moduleTarget(literal));
    if (clause?.name) defined(clause.name, ["default", clause.name.text], literal);
    const bound = clause?.namedBindings;
    if (bound && ts.isNamespaceImport(bound)) namespaces.add(bound.name.text);
    if (bound && ts.isNamedImports(bound)) named(bound.elements, literal);
  }
  // In TypeScript `require` gives the compiler a plain object: look among what the module exports.
  function taken(item, literal) {
    const name = (item.propertyName || item.name).getText(file);
    if (checker.getSymbolAtLocation(item.name)?.flags & ts.SymbolFlags.Alias) return defined(item.name, [name, item.name.text], literal);
    const result = ts.resolveModuleName(literal.text, file.fileName, options, ts.sys).resolvedModule;
    const other = result && program.getSourceFile(result.resolvedFileName);
    const module = other && checker.getSymbolAtLocation(other);
    let symbol = module && checker.tryGetMemberInModuleExports(name, module);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const declaration = symbol?.declarations?.[0];
    put(name, declaration ? inside(declaration.getSourceFile().fileName) : null);
  }
  function required(node, literal) {
    const holder = node.parent;
    put(ts.isVariableDeclaration(holder) && ts.isObjectBindingPattern(holder.name) ? "" : "*", moduleTarget(literal));
    if (!ts.isVariableDeclaration(holder) || holder.initializer !== node) return;
    if (ts.isIdentifier(holder.name)) {
      namespaces.add(holder.name.text);
      defined(holder.name, ["default", holder.name.text], literal);
    } else if (ts.isObjectBindingPattern(holder.name)) {
      for (const item of holder.name.elements)
        if (ts.isIdentifier(item.name)) taken(item, literal);
    }
  }
  function visit(node) {
    const literal = node.moduleSpecifier;
    if (ts.isImportDeclaration(node)) imported(node, literal);
    else if (ts.isExportDeclaration(node) && literal) {
      put(node.exportClause ? "" : "*", moduleTarget(literal));
      if (node.exportClause && ts.isNamedExports(node.exportClause)) named(node.exportClause.elements, literal);
    } else if (ts.isCallExpression(node) && node.arguments.length && ts.isStringLiteralLike(node.arguments[0])) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) put("*", moduleTarget(node.arguments[0]));
      else if (ts.isIdentifier(node.expression) && node.expression.text === "require") required(node, node.arguments[0]);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      put("*", moduleTarget(node.argument.literal));
    } else if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && namespaces.has(node.expression.text)) {
      defined(node.name, [node.name.text]);
    } else if (ts.isQualifiedName(node) && ts.isIdentifier(node.left) && namespaces.has(node.left.text)) {
      defined(node.right, [node.right.text]);
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return [...found.values()];
}

const groups = new Map();
for (const source of sources) {
  const [key, options] = optionsFor(source);
  if (!groups.has(key)) groups.set(key, { options: { ...FALLBACK, ...options, ...FIXED }, files: [] });
  groups.get(key).files.push(source);
}
for (const { options, files } of groups.values()) {
  const program = ts.createProgram(files.map((file) => path.join(root, file)), options);
  for (const source of files) {
    const file = program.getSourceFile(path.join(root, source));
    if (file) console.log(JSON.stringify({ source, references: references(program, options, file) }));
  }
}
