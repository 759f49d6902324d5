package main

import (
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A decision is what kube-apiserver would respond to a write: the object as it would be stored, or a Status.
type decision struct {
	Object   json.RawMessage `json:"object,omitempty"`
	Status   *metav1.Status  `json:"status,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
}

// Returns the refusal of a write. The errors of decoders have no Status; kube-apiserver responds to them with 400.
func refusal(err error) decision {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = apierrors.NewBadRequest(err.Error())
	}
	status := known.Status()
	return decision{Status: &status}
}
