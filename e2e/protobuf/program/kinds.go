package main

import (
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// coreKinds are registered in every group. The table has them once, in the core group.
var coreKinds = map[string]bool{
	"CreateOptions": true, "UpdateOptions": true, "PatchOptions": true, "DeleteOptions": true,
	"GetOptions": true, "ListOptions": true, "ExportOptions": true, "WatchEvent": true,
}

// coreFirst are the groups whose messages other groups repeat; they come first, so that the others refer to them.
var coreFirst = map[string]string{"": "0", "apps": "1", "batch": "2"}

// kindsOf returns the kinds of the table in their order: no lists, whose form is the same for all kinds.
func kindsOf(scheme *runtime.Scheme) []schema.GroupVersionKind {
	kinds := []schema.GroupVersionKind{}
	for kind := range scheme.AllKnownTypes() {
		isList := strings.HasSuffix(kind.Kind, "List")
		isInternal := kind.Version == runtime.APIVersionInternal
		if isList || isInternal || kind.Group != "" && coreKinds[kind.Kind] {
			continue
		}
		kinds = append(kinds, kind)
	}
	sort.Slice(kinds, func(i, j int) bool { return orderOf(kinds[i]) < orderOf(kinds[j]) })
	return kinds
}

func orderOf(kind schema.GroupVersionKind) string {
	place := coreFirst[kind.Group]
	if place == "" || kind.Version != "v1" {
		place = "3"
	}
	return place + " " + kind.Group + " " + kind.Version + " " + kind.Kind
}
