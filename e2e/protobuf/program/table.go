package main

import (
	"bufio"
	"fmt"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// writeTable writes the version of Kubernetes, and a line for each kind with its messages that no line before has.
func writeTable(out *bufio.Writer, scheme *runtime.Scheme) error {
	version, err := kubernetesVersion()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, version)
	messages := newMessages()
	for _, kind := range kindsOf(scheme) {
		object, err := scheme.New(kind)
		if err != nil {
			return err
		}
		if err := checkList(scheme, kind); err != nil {
			return err
		}
		number, err := messages.number(reflect.TypeOf(object).Elem())
		if err != nil {
			return err
		}
		place := strconv.FormatInt(int64(number), 36)
		fmt.Fprintf(out, "%s %s %s:%s\n", kind.GroupVersion(), kind.Kind, place, strings.Join(messages.unprinted, ";"))
		messages.unprinted = nil
	}
	return nil
}

// checkList fails if the list of a kind has another form than all others: metadata in field 1, items in field 2.
func checkList(scheme *runtime.Scheme, kind schema.GroupVersionKind) error {
	list, err := scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	isDiscovery := kind.Kind == "APIGroup"
	if isDiscovery || runtime.IsNotRegisteredError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	names, numbers := []string{}, []int{}
	for i := range reflect.TypeOf(list).Elem().NumField() {
		field := reflect.TypeOf(list).Elem().Field(i)
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		tag, err := tagOf(field)
		if err != nil {
			return err
		}
		names, numbers = append(names, tag.name), append(numbers, tag.number)
	}
	if fmt.Sprint(names, numbers) != "[metadata items] [1 2]" {
		return fmt.Errorf("the list of %s has the fields %v %v", kind, names, numbers)
	}
	return nil
}

// kubernetesVersion returns the minor version of k8s.io/api that this program is built with, such as "1.36".
func kubernetesVersion() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/api" {
				parts := strings.Split(strings.TrimPrefix(module.Version, "v"), ".")
				return "1." + parts[1], nil
			}
		}
	}
	return "", fmt.Errorf("the program does not know its modules")
}
