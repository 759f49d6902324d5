package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	structuralpruning "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// The custom resource of a create, or of an update of `old`, which a server has stored.
type objectInput struct {
	// The accepted CustomResourceDefinition, as the server returned it.
	Definition json.RawMessage `json:"definition"`
	Version    string          `json:"version"`
	Object     json.RawMessage `json:"object"`
	Old        json.RawMessage `json:"old"`
	// "status" for a write to the subresource.
	Subresource string `json:"subresource"`
}

// Decides whether a custom resource is accepted: pruning, nulls, defaults, preparation and validation.
func decideObject(input json.RawMessage) (any, error) {
	var asked objectInput
	if err := json.Unmarshal(input, &asked); err != nil {
		return nil, err
	}
	served, err := servedVersionOf(asked.Definition, asked.Version)
	if err != nil {
		return nil, err
	}
	object, err := served.decode(asked.Object, false)
	if err != nil {
		return refusal(err), nil
	}
	ctx := genericapirequest.WithNamespace(context.Background(), object.GetNamespace())
	if asked.Old == nil {
		rest.FillObjectMetaSystemFields(object)
		if err := rest.BeforeCreate(served.strategy, ctx, object); err != nil {
			return refusal(err), nil
		}
		return served.accepted(object, served.strategy.WarningsOnCreate(ctx, object))
	}
	old, err := served.decode(asked.Old, true)
	if err != nil {
		return nil, fmt.Errorf("old: %w", err)
	}
	strategy := served.updateStrategy(asked.Subresource)
	if err := rest.BeforeUpdate(strategy, ctx, object, old); err != nil {
		return refusal(err), nil
	}
	return served.accepted(object, strategy.WarningsOnUpdate(ctx, object, old))
}

// The response is what the storage returns, which sets the defaults again: a create has removed the status.
func (served *servedVersion) accepted(object *unstructured.Unstructured, warnings []string) (any, error) {
	data, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	stored, err := served.decode(data, true)
	if err != nil {
		return nil, fmt.Errorf("stored: %w", err)
	}
	data, err = stored.MarshalJSON()
	return decision{Object: data, Warnings: warnings}, err
}

type objectStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// One version of a definition with what kube-apiserver makes of its schema.
type servedVersion struct {
	kind       schema.GroupVersionKind
	structural *structuralschema.Structural
	preserves  bool
	strategy   objectStrategy
	status     rest.RESTUpdateStrategy
}

func (served *servedVersion) updateStrategy(subresource string) rest.RESTUpdateStrategy {
	if subresource == "status" {
		return served.status
	}
	return served.strategy
}

// The last definition is kept, because a batch asks about many objects of one.
var lastServed struct {
	key     string
	version *servedVersion
}

func servedVersionOf(data []byte, name string) (*servedVersion, error) {
	key := name + "\n" + string(data)
	if lastServed.key == key {
		return lastServed.version, nil
	}
	definition, err := decodeDefinition(data)
	if err != nil {
		return nil, err
	}
	version, err := newServedVersion(definition, name)
	if err != nil {
		return nil, err
	}
	lastServed.key, lastServed.version = key, version
	return version, nil
}

func newServedVersion(definition *apiextensions.CustomResourceDefinition, name string) (*servedVersion, error) {
	spec := definition.Spec
	kind := schema.GroupVersionKind{Group: spec.Group, Version: name, Kind: spec.Names.Kind}
	properties, err := apiextensions.GetSchemaForVersion(definition, name)
	if err != nil {
		return nil, err
	}
	if properties == nil || properties.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("version %q has no schema", name)
	}
	structural, err := structuralschema.NewStructural(properties.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(properties.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	subresources, err := apiextensions.GetSubresourcesForVersion(definition, name)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	var statusValidator validation.SchemaValidator
	if subresources != nil {
		status, scale = subresources.Status, subresources.Scale
	}
	if statusSchema, ok := properties.OpenAPIV3Schema.Properties["status"]; ok && status != nil {
		if statusValidator, _, err = validation.NewSchemaValidator(&statusSchema); err != nil {
			return nil, err
		}
	}
	strategy := customresource.NewStrategy(
		crdserverscheme.NewUnstructuredObjectTyper(), spec.Scope == apiextensions.NamespaceScoped, kind,
		validator, statusValidator, structural, status, scale, selectableFieldsOf(definition, name))
	preserves := spec.PreserveUnknownFields != nil && *spec.PreserveUnknownFields
	return &servedVersion{
		kind, structural, preserves, strategy, customresource.NewStatusStrategy(strategy),
	}, nil
}

func selectableFieldsOf(definition *apiextensions.CustomResourceDefinition, name string) []apiextensionsv1.SelectableField {
	var external apiextensionsv1.CustomResourceDefinition
	if err := definitionScheme.Convert(definition, &external, nil); err != nil {
		panic(err)
	}
	for _, version := range external.Spec.Versions {
		if version.Name == name {
			return version.SelectableFields
		}
	}
	return nil
}

// Decodes a custom resource as the handlers of kube-apiserver do, or as its storage does.
func (served *servedVersion) decode(data []byte, stored bool) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if _, _, err := unstructured.UnstructuredJSONScheme.Decode(data, &served.kind, object); err != nil {
		return nil, err
	}
	if err := served.coerce(object, stored); err != nil {
		return nil, err
	}
	if object.GroupVersionKind() == served.kind {
		structuraldefaulting.Default(object.UnstructuredContent(), served.structural)
	}
	return object, nil
}

func (served *servedVersion) coerce(object *unstructured.Unstructured, stored bool) error {
	content := object.UnstructuredContent()
	apiVersion, kind := object.GetAPIVersion(), object.GetKind()
	meta, found, _, err := objectmeta.GetObjectMetaWithOptions(content, objectmeta.ObjectMetaOptions{DropMalformedFields: stored})
	if err != nil {
		return err
	}
	if object.GroupVersionKind().GroupKind() == served.kind.GroupKind() {
		if !served.preserves {
			structuralpruning.Prune(content, served.structural, true)
			structuraldefaulting.PruneNonNullableNullsWithoutDefaults(content, served.structural)
		}
		if err, _ := objectmeta.CoerceWithOptions(nil, content, served.structural, false, objectmeta.CoerceOptions{DropInvalidFields: stored}); err != nil {
			return err
		}
	}
	object.SetKind(kind)
	object.SetAPIVersion(apiVersion)
	if found {
		return objectmeta.SetObjectMeta(content, meta)
	}
	return nil
}
