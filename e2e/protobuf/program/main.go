// The program writes what the protobuf format of Keelson needs from the Go types of Kubernetes:
//
//	table            the table of the built-in kinds, from the struct tags
//	objects N SEED   N random objects of each kind, as protobuf and as JSON, one a line
//	fixtures         objects, a list and a watch for the unit tests, as JSON
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	if err := run(out, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out *bufio.Writer, args []string) error {
	scheme := runtime.NewScheme()
	if err := groups.AddToScheme(scheme); err != nil {
		return err
	}
	partial := schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "PartialObjectMetadata"}
	scheme.AddKnownTypeWithName(partial, &metav1.PartialObjectMetadata{})
	switch {
	case len(args) == 1 && args[0] == "table":
		return writeTable(out, scheme)
	case len(args) == 1 && args[0] == "fixtures":
		return writeFixtures(out, scheme)
	case len(args) == 3 && args[0] == "objects":
		count, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		seed, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return err
		}
		return writeObjects(out, scheme, count, seed)
	}
	return fmt.Errorf("usage: table | objects COUNT SEED | fixtures")
}
