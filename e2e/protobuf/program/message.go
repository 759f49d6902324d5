package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// specialTypes have a JSON form of their own. Each has a letter in the table.
var specialTypes = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():            "q",
	reflect.TypeFor[intstr.IntOrString]():           "n",
	reflect.TypeFor[metav1.Time]():                  "t",
	reflect.TypeFor[metav1.MicroTime]():             "u",
	reflect.TypeFor[runtime.RawExtension]():         "r",
	reflect.TypeFor[metav1.FieldsV1]():              "v",
	reflect.TypeFor[corev1.PersistentVolumeClaim](): "k",
}

// Messages collects the descriptions of message types. Types with the same description share a number.
type Messages struct {
	numbers map[string]int
	byType  map[reflect.Type]int
	// unprinted are the descriptions that no line of the table has yet.
	unprinted []string
}

func newMessages() *Messages {
	return &Messages{numbers: map[string]int{}, byType: map[reflect.Type]int{}}
}

// number returns the number of a message type, after those of the messages within it.
func (m *Messages) number(message reflect.Type) (int, error) {
	if number, ok := m.byType[message]; ok {
		if number == unfinished {
			return 0, fmt.Errorf("%s contains itself", message)
		}
		return number, nil
	}
	m.byType[message] = unfinished
	text, err := m.describe(message)
	if err != nil {
		return 0, err
	}
	number, ok := m.numbers[text]
	if !ok {
		number = len(m.numbers)
		m.numbers[text] = number
		m.unprinted = append(m.unprinted, text)
	}
	m.byType[message] = number
	return number, nil
}

const unfinished = -1

// describe returns the fields of a struct in the order of its JSON.
func (m *Messages) describe(message reflect.Type) (string, error) {
	if message.Kind() != reflect.Struct || has(message, "MarshalJSON") {
		return "", fmt.Errorf("%s has a form that the table cannot express", message)
	}
	names, err := jsonNames(message)
	if err != nil {
		return "", err
	}
	if twice := repeated(names); twice != "" {
		return "", fmt.Errorf("%s has two members %s", message, twice)
	}
	words := []string{}
	previous := 0
	for i := range message.NumField() {
		field := message.Field(i)
		if field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue
		}
		tag, err := tagOf(field)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", message, field.Name, err)
		}
		word, err := m.describeField(field, tag)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", message, field.Name, err)
		}
		if tag.number != previous+1 {
			word += "@" + strconv.Itoa(tag.number)
		}
		previous = tag.number
		words = append(words, word)
	}
	return strings.Join(words, " "), nil
}

func (m *Messages) describeField(field reflect.StructField, tag Tag) (string, error) {
	shape, element, err := shapeOf(field.Type)
	if err != nil {
		return "", err
	}
	if tag.isInline {
		if shape != single || element.Kind() != reflect.Struct {
			return "", fmt.Errorf("cannot be inlined")
		}
		shape = "-"
	}
	letter, reference, err := m.elementOf(element)
	if err != nil {
		return "", err
	}
	isTime := letter == "t" && shape == single
	if tag.omitsZero && !isTime {
		return "", fmt.Errorf("omitzero is not known for %s", element)
	}
	isStruct := shape == single && strings.Contains("mqnurvk", letter)
	if tag.omitsZero || tag.omitsEmpty && !isStruct && !isTime {
		// The letter of a member that is omitted is lower case.
		return tag.name + shape + letter + reference, nil
	}
	return tag.name + shape + strings.ToUpper(letter) + reference, nil
}

// elementOf returns the letter of a type, and the number of its message in base 36.
func (m *Messages) elementOf(element reflect.Type) (string, string, error) {
	if letter := specialTypes[element]; letter != "" && letter != "k" {
		return letter, "", nil
	}
	if element.Kind() != reflect.Struct && has(element, "MarshalJSON") {
		return "", "", fmt.Errorf("%s has a JSON form of its own", element)
	}
	switch element.Kind() {
	case reflect.String:
		return "s", "", nil
	case reflect.Bool:
		return "b", "", nil
	case reflect.Int32, reflect.Int64:
		return "i", "", nil
	case reflect.Slice:
		if element.Elem().Kind() == reflect.Uint8 {
			return "y", "", nil
		}
		if has(element, "Unmarshal") && element.Elem().Kind() == reflect.String {
			return "w", "", nil
		}
	case reflect.Struct:
		number, err := m.number(element)
		letter := "m"
		if specialTypes[element] != "" {
			letter = "k"
		}
		return letter, strconv.FormatInt(int64(number), 36), err
	}
	return "", "", fmt.Errorf("%s has no letter", element)
}

// The shapes of a field.
const (
	single   = "."
	pointer  = "*"
	list     = "["
	mapShape = "{"
)

func shapeOf(field reflect.Type) (string, reflect.Type, error) {
	switch {
	case field.Kind() == reflect.Pointer:
		return pointer, field.Elem(), nil
	case field.Kind() == reflect.Map && field.Key().Kind() == reflect.String:
		return mapShape, field.Elem(), nil
	case field.Kind() == reflect.Map:
		return "", nil, fmt.Errorf("the keys are not strings")
	case field.Kind() == reflect.Slice && field.Elem().Kind() != reflect.Uint8 && !has(field, "Unmarshal"):
		return list, field.Elem(), nil
	}
	return single, field, nil
}

// has returns true if a type, or a pointer to it, has a method.
func has(t reflect.Type, method string) bool {
	_, found := reflect.PointerTo(t).MethodByName(method)
	return found
}
