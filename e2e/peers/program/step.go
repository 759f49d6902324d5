package main

import (
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// reasonOf returns the reason of an error, which is the same on every server.
func reasonOf(err error) string {
	var status apierrors.APIStatus
	switch {
	case err == nil:
		return ""
	case errors.As(err, &status):
		return string(status.Status().Reason)
	default:
		return "error: " + err.Error()
	}
}

// step reports the result of a request: the error, or the object.
func (r *report) step(name string, object runtime.Object, err error) {
	line := fields{"step": name, "error": reasonOf(err)}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		line["code"] = status.Status().Code
		line["message"] = status.Status().Message
	}
	if err == nil && object != nil {
		line["object"] = plain(object)
	}
	r.write(line)
}

// plain returns the object as plain JSON values.
func plain(object runtime.Object) any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	return value
}
