// Where the names of Go files are declared, asked of go/types: built and run by oracles.py.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

type request struct {
	Root    string   `json:"root"`
	Sources []string `json:"sources"`
}

type answer struct {
	Source     string       `json:"source"`
	References [][2]*string `json:"references"`
}

type world struct {
	root    string
	files   *token.FileSet
	modules map[string]string // module path -> folder
	known   map[string]*types.Package
	under   map[string]bool // being checked
	std     types.Importer
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

func (w *world) findModules() {
	_ = filepath.WalkDir(w.root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if err == nil && entry.Name() == "go.mod" {
			if text, err := os.ReadFile(path); err == nil {
				if found := moduleLine.FindSubmatch(text); found != nil {
					w.modules[string(found[1])] = filepath.Dir(path)
				}
			}
		}
		return nil
	})
}

func (w *world) folder(module string) string {
	best := ""
	for name := range w.modules {
		if (module == name || strings.HasPrefix(module, name+"/")) && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		return ""
	}
	return filepath.Join(w.modules[best], strings.TrimPrefix(module, best))
}

// Import gives a package of the repository from source, one of the platform from its own, and an
// empty one for all others: what is named of those is undecided.
func (w *world) Import(module string) (*types.Package, error) {
	if found := w.known[module]; found != nil {
		return found, nil
	}
	if folder := w.folder(module); folder != "" && !w.under[module] {
		w.under[module] = true
		own, _, _, _ := w.parse(folder)
		w.known[module] = w.check(module, own, nil)
		return w.known[module], nil
	}
	if !strings.Contains(strings.Split(module, "/")[0], ".") {
		if found, err := w.std.Import(module); err == nil {
			w.known[module] = found
			return found, nil
		}
	}
	return nil, fmt.Errorf("%s is not here", module)
}

// The files of a folder that this platform builds: the package, its tests, and tests from outside;
// apart from them, those of other builds.
func (w *world) parse(folder string) (own, tests, outer, others []*ast.File) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		fits, err := build.Default.MatchFile(folder, name)
		file, _ := parser.ParseFile(w.files, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		switch {
		case file == nil:
		case err != nil || !fits:
			others = append(others, file)
		case strings.HasSuffix(name, "_test.go") && strings.HasSuffix(file.Name.Name, "_test"):
			outer = append(outer, file)
		case strings.HasSuffix(name, "_test.go"):
			tests = append(tests, file)
		default:
			own = append(own, file)
		}
	}
	return own, tests, outer, others
}

func (w *world) check(module string, files []*ast.File, info *types.Info) *types.Package {
	config := types.Config{Importer: w, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(module, w.files, files, info)
	return found
}

func (w *world) where(object types.Object) *string {
	target := ""
	if object == nil {
		return nil
	}
	if object.Pos().IsValid() && object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
		path := w.files.Position(object.Pos()).Filename
		if inner, err := filepath.Rel(w.root, path); err == nil && !strings.HasPrefix(inner, "..") {
			target = filepath.ToSlash(inner)
		}
	}
	return &target
}

func (w *world) references(file *ast.File, info *types.Info) [][2]*string {
	found := map[string][2]*string{}
	put := func(name string, target *string) {
		key := name + "\x00"
		if target != nil {
			key += "=" + *target
		}
		found[key] = [2]*string{&name, target}
	}
	for _, item := range file.Imports {
		star := w.folder(strings.Trim(item.Path.Value, "\"`"))
		if entries, _ := filepath.Glob(filepath.Join(star, "*.go")); star != "" && item.Name != nil && item.Name.Name == "_" {
			for _, entry := range entries { // imported for what it does: any of its files will do
				if inner, err := filepath.Rel(w.root, entry); err == nil {
					target := filepath.ToSlash(inner)
					put("*", &target)
				}
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok {
			if object, used := info.Uses[name]; used {
				if _, isPackage := object.(*types.PkgName); !isPackage {
					put(name.Name, w.where(object))
				}
			} else if _, defines := info.Defs[name]; !defines {
				put(name.Name, nil)
			} else {
				put(name.Name, new(string))
			}
		}
		return true
	})
	keys := make([]string, 0, len(found))
	for key := range found {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	list := [][2]*string{}
	for _, key := range keys {
		list = append(list, found[key])
	}
	return list
}

func main() {
	build.Default.GOROOT = os.Args[1]
	build.Default.CgoEnabled = false
	var asked request
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	files := token.NewFileSet()
	w := &world{asked.Root, files, map[string]string{}, map[string]*types.Package{}, map[string]bool{},
		importer.ForCompiler(files, "source", nil)}
	w.findModules()
	wanted := map[string]map[string]bool{}
	for _, source := range asked.Sources {
		folder := filepath.Join(asked.Root, filepath.Dir(source))
		if wanted[folder] == nil {
			wanted[folder] = map[string]bool{}
		}
		wanted[folder][source] = true
	}
	out := json.NewEncoder(os.Stdout)
	for folder, sources := range wanted {
		module := folder
		for name, place := range w.modules {
			if inner, err := filepath.Rel(place, folder); err == nil && !strings.HasPrefix(inner, "..") {
				if candidate := strings.TrimSuffix(name+"/"+filepath.ToSlash(inner), "/."); w.folder(candidate) == folder {
					module = candidate
				}
			}
		}
		own, tests, outer, others := w.parse(folder)
		whole := append(append([]*ast.File{}, own...), tests...)
		groups := [][]*ast.File{whole, outer}
		for _, file := range others { // first, so that what it declares itself is its own
			groups = append(groups, append([]*ast.File{file}, whole...))
		}
		answered := map[string]bool{}
		for _, group := range groups {
			info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
			w.check(module, group, info)
			for _, file := range group {
				inner, _ := filepath.Rel(asked.Root, files.Position(file.Package).Filename)
				if source := filepath.ToSlash(inner); sources[source] && !answered[source] {
					answered[source] = true
					_ = out.Encode(answer{source, w.references(file, info)})
				}
			}
		}
	}
}
