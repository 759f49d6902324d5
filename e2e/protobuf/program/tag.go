package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tag has the facts of the two struct tags of a field.
type Tag struct {
	// name is the name of the JSON member; empty for an inlined struct.
	name       string
	isInline   bool
	omitsEmpty bool
	omitsZero  bool
	// number is the number of the protobuf field.
	number int
}

func tagOf(field reflect.StructField) (Tag, error) {
	words := strings.Split(field.Tag.Get("json"), ",")
	tag := Tag{name: words[0]}
	for _, word := range words[1:] {
		switch word {
		case "inline":
			tag.isInline = true
		case "omitempty":
			tag.omitsEmpty = true
		case "omitzero":
			tag.omitsZero = true
		default:
			return tag, fmt.Errorf("the JSON option %s is unknown", word)
		}
	}
	// Go's encoder knows no option "inline": it inlines an embedded struct without a name.
	isEmbedded := field.Anonymous && tag.name == ""
	if tag.isInline != isEmbedded || !isEmbedded && !isName(tag.name) {
		return tag, fmt.Errorf("the JSON tag %q is unknown", field.Tag.Get("json"))
	}
	protobuf := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(protobuf) < 2 || protobuf[0] != "bytes" && protobuf[0] != "varint" {
		return tag, fmt.Errorf("the protobuf tag %q is unknown", field.Tag.Get("protobuf"))
	}
	number, err := strconv.Atoi(protobuf[1])
	tag.number = number
	return tag, err
}

func isName(name string) bool {
	for _, char := range name {
		isLetter := char >= 'a' && char <= 'z' || char >= 'A' && char <= 'Z'
		if !isLetter && !(char >= '0' && char <= '9') && char != '$' && char != '_' {
			return false
		}
	}
	return name != ""
}

// jsonNames returns the members of a struct, with those of the structs that it inlines.
func jsonNames(message reflect.Type) ([]string, error) {
	names := []string{}
	for i := range message.NumField() {
		field := message.Field(i)
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		tag, err := tagOf(field)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", message, field.Name, err)
		}
		if !tag.isInline {
			names = append(names, tag.name)
			continue
		}
		inner, err := jsonNames(field.Type)
		if err != nil {
			return nil, err
		}
		names = append(names, inner...)
	}
	return names, nil
}

func repeated(names []string) string {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}
