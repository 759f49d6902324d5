package main

import (
	"context"
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

var (
	definitionScheme = newDefinitionScheme()
	definitionCodecs = serializer.NewCodecFactory(definitionScheme)
)

func newDefinitionScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}

// The CustomResourceDefinition of a create, or of an update of `old`, which a server has stored.
type definitionInput struct {
	Definition json.RawMessage `json:"definition"`
	Old        json.RawMessage `json:"old"`
}

// Decides whether a CustomResourceDefinition is accepted: decoding, defaults, conversion, preparation and validation.
func decideDefinition(input json.RawMessage) (any, error) {
	var asked definitionInput
	if err := json.Unmarshal(input, &asked); err != nil {
		return nil, err
	}
	definition, err := decodeDefinition(asked.Definition)
	if err != nil {
		return refusal(err), nil
	}
	strategy := customresourcedefinition.NewStrategy(definitionScheme)
	ctx := genericapirequest.WithNamespace(context.Background(), metav1.NamespaceNone)
	if asked.Old == nil {
		rest.FillObjectMetaSystemFields(definition)
		if err := rest.BeforeCreate(strategy, ctx, definition); err != nil {
			return refusal(err), nil
		}
		return acceptedDefinition(definition, strategy.WarningsOnCreate(ctx, definition))
	}
	old, err := decodeDefinition(asked.Old)
	if err != nil {
		return nil, err
	}
	if err := rest.BeforeUpdate(strategy, ctx, definition, old); err != nil {
		return refusal(err), nil
	}
	return acceptedDefinition(definition, strategy.WarningsOnUpdate(ctx, definition, old))
}

func decodeDefinition(data []byte) (*apiextensions.CustomResourceDefinition, error) {
	definition := &apiextensions.CustomResourceDefinition{}
	decoder := definitionCodecs.UniversalDecoder(apiextensions.SchemeGroupVersion)
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	_, _, err := decoder.Decode(data, &kind, definition)
	return definition, err
}

func acceptedDefinition(definition *apiextensions.CustomResourceDefinition, warnings []string) (any, error) {
	data, err := runtime.Encode(definitionCodecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion), definition)
	return decision{Object: data, Warnings: warnings}, err
}
