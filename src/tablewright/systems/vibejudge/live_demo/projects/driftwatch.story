@@ project driftwatch
@@ author tomas Tomas Brandvold <tomas@driftwatch.example>
@@ author aiko Aiko Lindqvist <aiko@driftwatch.example>

@@ commit 2026-09-18 18:22 tomas
Flatten settings so that they can be compared key by key
@@ file go.mod
module driftwatch.example/driftwatch

go 1.22
@@ file internal/settings/flatten.go
// Package settings reads trees of settings and compares them.
package settings

import (
	"fmt"
	"sort"
)

// Flat maps a dotted path to the text of its value.
type Flat map[string]string

// Flatten turns nested maps and lists into one level.
func Flatten(tree map[string]any) Flat {
	flat := Flat{}
	into(flat, "", tree)
	return flat
}

func into(flat Flat, path string, value any) {
	switch known := value.(type) {
	case map[string]any:
		for key, inner := range known {
			into(flat, join(path, key), inner)
		}
	case []any:
		for at, inner := range known {
			into(flat, fmt.Sprintf("%s[%d]", path, at), inner)
		}
	default:
		flat[path] = fmt.Sprint(value)
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Keys gives all paths in order.
func (flat Flat) Keys() []string {
	keys := make([]string, 0, len(flat))
	for key := range flat {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
@@ file internal/settings/flatten_test.go
package settings

import (
	"reflect"
	"testing"
)

func TestFlatten(t *testing.T) {
	tree := map[string]any{
		"port": 8080,
		"log":  map[string]any{"level": "info"},
		"ips":  []any{"10.0.0.1", "10.0.0.2"},
	}
	want := Flat{"port": "8080", "log.level": "info", "ips[0]": "10.0.0.1", "ips[1]": "10.0.0.2"}
	if got := Flatten(tree); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestKeysAreInOrder(t *testing.T) {
	flat := Flat{"b": "1", "a": "2", "c": "3"}
	if got := flat.Keys(); !reflect.DeepEqual(got, []string{"a", "b", "c"}) {
		t.Errorf("got %v", got)
	}
}

@@ commit 2026-09-18 20:51 aiko
Compare two of them: missing, added, changed
@@ file internal/settings/drift.go
package settings

// Kind says how a setting differs.
type Kind string

const (
	Missing Kind = "missing"
	Added   Kind = "added"
	Changed Kind = "changed"
)

// Drift is one setting that is not what it should be.
type Drift struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// Compare lists what differs, in the order of paths.
func Compare(want, got Flat) []Drift {
	var drifts []Drift
	for _, path := range want.Keys() {
		if drift, differs := compareOne(path, want, got); differs {
			drifts = append(drifts, drift)
		}
	}
	for _, path := range got.Keys() {
		if _, known := want[path]; !known {
			drifts = append(drifts, Drift{Path: path, Kind: Added, Got: got[path]})
		}
	}
	return drifts
}

func compareOne(path string, want, got Flat) (Drift, bool) {
	value, there := got[path]
	if !there {
		return Drift{Path: path, Kind: Missing, Want: want[path]}, true
	}
	if value != want[path] {
		return Drift{Path: path, Kind: Changed, Want: want[path], Got: value}, true
	}
	return Drift{}, false
}
@@ file internal/settings/drift_test.go
package settings

import (
	"reflect"
	"testing"
)

func TestCompare(t *testing.T) {
	want := Flat{"a": "1", "b": "2", "c": "3"}
	got := Flat{"a": "1", "b": "9", "d": "4"}
	expected := []Drift{
		{Path: "b", Kind: Changed, Want: "2", Got: "9"},
		{Path: "c", Kind: Missing, Want: "3"},
		{Path: "d", Kind: Added, Got: "4"},
	}
	if drifts := Compare(want, got); !reflect.DeepEqual(drifts, expected) {
		t.Errorf("got %v", drifts)
	}
}

func TestNothingDrifts(t *testing.T) {
	flat := Flat{"a": "1"}
	if drifts := Compare(flat, flat); drifts != nil {
		t.Errorf("got %v", drifts)
	}
}

@@ commit 2026-09-19 09:33 tomas
A command that reads files and says what drifted
@@ file cmd/driftwatch/main.go
// Command driftwatch compares the settings of machines with those that were agreed.
package main

import (
	"fmt"
	"os"

	"driftwatch.example/driftwatch/internal/report"
	"driftwatch.example/driftwatch/internal/watch"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: driftwatch WANTED.json MACHINE.json...")
		os.Exit(2)
	}
	found, err := watch.Files(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "driftwatch:", err)
		os.Exit(2)
	}
	report.Text(os.Stdout, found)
	if report.Drifted(found) {
		os.Exit(1)
	}
}
@@ file internal/watch/files.go
// Package watch reads the settings of many machines.
package watch

import (
	"encoding/json"
	"fmt"
	"os"

	"driftwatch.example/driftwatch/internal/settings"
)

// Found is what differs on one machine, or why it could not be read.
type Found struct {
	Machine string           `json:"machine"`
	Drifts  []settings.Drift `json:"drifts"`
	Problem string           `json:"problem,omitempty"`
}

// Files compares every machine's file with the wanted one.
func Files(wanted string, machines []string) ([]Found, error) {
	want, err := read(wanted)
	if err != nil {
		return nil, err
	}
	found := make([]Found, len(machines))
	for at, machine := range machines {
		found[at] = one(want, machine)
	}
	return found, nil
}

func one(want settings.Flat, machine string) Found {
	got, err := read(machine)
	if err != nil {
		return Found{Machine: machine, Problem: err.Error()}
	}
	return Found{Machine: machine, Drifts: settings.Compare(want, got)}
}

func read(path string) (settings.Flat, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading settings: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("%s is not JSON: %w", path, err)
	}
	return settings.Flatten(tree), nil
}
@@ file internal/report/report.go
// Package report writes down what was found.
package report

import (
	"fmt"
	"io"

	"driftwatch.example/driftwatch/internal/watch"
)

// Text is for people.
func Text(out io.Writer, found []watch.Found) {
	for _, each := range found {
		if each.Problem != "" {
			fmt.Fprintf(out, "%s: %s\n", each.Machine, each.Problem)
			continue
		}
		fmt.Fprintf(out, "%s: %d differ\n", each.Machine, len(each.Drifts))
		for _, drift := range each.Drifts {
			fmt.Fprintf(out, "  %-8s %s: %q, not %q\n", drift.Kind, drift.Path, drift.Got, drift.Want)
		}
	}
}

// Drifted says whether anything is to be done.
func Drifted(found []watch.Found) bool {
	for _, each := range found {
		if each.Problem != "" || len(each.Drifts) > 0 {
			return true
		}
	}
	return false
}

@@ commit 2026-09-19 13:20 aiko
Read machines at the same time: a hundred files in the time of the slowest
@@ edit internal/watch/files.go
	found := make([]Found, len(machines))
	for at, machine := range machines {
		found[at] = one(want, machine)
	}
	return found, nil
}
@@ into
	return all(want, machines), nil
}

// all keeps the order of the machines, whoever is read first.
func all(want settings.Flat, machines []string) []Found {
	found := make([]Found, len(machines))
	places := make(chan struct{}, atOnce)
	var readers sync.WaitGroup
	for at, machine := range machines {
		readers.Add(1)
		go func(at int, machine string) {
			defer readers.Done()
			places <- struct{}{}
			defer func() { <-places }()
			found[at] = one(want, machine)
		}(at, machine)
	}
	readers.Wait()
	return found
}
@@ edit internal/watch/files.go
	"os"

	"driftwatch
@@ into
	"os"
	"sync"

	"driftwatch
@@ edit internal/watch/files.go
// Found is what differs
@@ into
// atOnce bounds the files that are open.
const atOnce = 16

// Found is what differs
@@ file internal/watch/files_test.go
package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestManyMachinesKeepTheirOrder(t *testing.T) {
	wanted := write(t, "wanted.json", `{"port": 1}`)
	var machines []string
	for port := 0; port < 40; port++ {
		machines = append(machines, write(t, "machine.json", fmt.Sprintf(`{"port": %d}`, port)))
	}
	found, err := Files(wanted, machines)
	if err != nil {
		t.Fatal(err)
	}
	for port, each := range found {
		if drifted := len(each.Drifts) == 1; drifted == (port == 1) {
			t.Errorf("machine %d: %v", port, each.Drifts)
		}
	}
}

func TestAFileThatIsNoneIsTold(t *testing.T) {
	wanted := write(t, "wanted.json", `{}`)
	found, err := Files(wanted, []string{"nowhere.json"})
	if err != nil || found[0].Problem == "" {
		t.Errorf("got %v, %v", found, err)
	}
}

@@ commit 2026-09-20 12:09 tomas
Usage, samples, and a build on every push
@@ file README.md
# driftwatch

Fifty machines were set up alike. A year later they are not, and nobody knows
since when. `driftwatch` compares the settings of each with those that were
agreed on, and says what is missing, what was added and what was changed.

## Install

    go install driftwatch.example/driftwatch/cmd/driftwatch@latest

## Usage

    go run ./cmd/driftwatch examples/wanted.json examples/web-1.json

It ends with 1 if anything drifted, so it can stand in a nightly job.

## Design

Settings become a flat map of paths first. That makes comparing them a loop over
sorted keys, and the answer the same in every run. Files are read at the same
time, sixteen at most. There are no dependencies outside the standard library.
@@ file examples/wanted.json
{"port": 8080, "log": {"level": "info"}, "workers": 4}
@@ file examples/web-1.json
{"port": 8080, "log": {"level": "debug"}, "workers": 4, "trace": true}
@@ file .github/workflows/build.yml
name: build
on: [push]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-go@v5
      - run: go vet ./... && go test ./...
@@ edit internal/report/report.go
		fmt.Fprintf(out, "%s: %d differ\n", each.Machine, len(each.Drifts))
@@ into
		if len(each.Drifts) == 0 {
			fmt.Fprintf(out, "%s: as agreed\n", each.Machine)
			continue
		}
		fmt.Fprintf(out, "%s: %d differ\n", each.Machine, len(each.Drifts))
