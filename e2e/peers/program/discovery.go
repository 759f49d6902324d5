package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/restmapper"
)

// runDiscovery reports the results of the discovery of client-go.
func runDiscovery(_ context.Context, job *job) error {
	client, err := discovery.NewDiscoveryClientForConfig(job.config)
	if err != nil {
		return err
	}
	version, err := client.ServerVersion()
	if err != nil {
		return err
	}
	job.report.write(fields{"minor": version.Minor})
	if err := reportResources(job.report, client); err != nil {
		return err
	}
	reportMappings(job.report, client)
	if err := reportOpenAPIV2(job.report, client); err != nil {
		return err
	}
	return reportOpenAPIV3(job.report, client.OpenAPIV3())
}

func reportResources(report *report, client *discovery.DiscoveryClient) error {
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			sort.Strings(resource.Verbs)
			sort.Strings(resource.ShortNames)
			report.write(fields{
				"resource":   list.GroupVersion + "/" + resource.Name,
				"kind":       resource.Kind,
				"namespaced": resource.Namespaced,
				"verbs":      resource.Verbs,
				"shortNames": resource.ShortNames,
			})
		}
	}
	preferred, err := client.ServerPreferredResources()
	if err != nil {
		return err
	}
	for _, list := range preferred {
		for _, resource := range list.APIResources {
			report.write(fields{"preferred": resource.Kind + " in " + list.GroupVersion})
		}
	}
	return nil
}

func reportMappings(report *report, client discovery.DiscoveryInterface) {
	cached := memory.NewMemCacheClient(client)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	for _, kind := range []schema.GroupKind{
		{Kind: "Pod"},
		{Kind: "Event"},
		{Group: "apps", Kind: "Deployment"},
		{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
		{Group: "peers.keelson.dev", Kind: "Widget"},
		{Group: "nowhere.example.com", Kind: "Nothing"},
	} {
		mapping, err := mapper.RESTMapping(kind)
		line := fields{"mapping": kind.String(), "found": err == nil}
		if err == nil {
			line["resource"] = mapping.Resource.String()
			line["scope"] = string(mapping.Scope.Name())
		}
		report.write(line)
	}
	short := restmapper.NewShortcutExpander(mapper, cached, nil)
	for _, word := range []string{"po", "deploy", "cm", "wd", "nothing"} {
		found, err := short.ResourceFor(schema.GroupVersionResource{Resource: word})
		report.write(fields{"word": word, "found": err == nil, "resource": found.String()})
	}
}

func reportOpenAPIV2(report *report, client *discovery.DiscoveryClient) error {
	document, err := client.OpenAPISchema()
	if err != nil {
		return err
	}
	names := []string{}
	for _, definition := range document.GetDefinitions().GetAdditionalProperties() {
		names = append(names, definition.GetName())
	}
	sort.Strings(names)
	report.write(fields{"openAPIV2": names})
	return nil
}

func reportOpenAPIV3(report *report, client openapi.Client) error {
	paths, err := client.Paths()
	if err != nil {
		return err
	}
	names := []string{}
	for name := range paths {
		names = append(names, name)
	}
	sort.Strings(names)
	report.write(fields{"openAPIV3": names})
	for _, path := range []string{"api/v1", "apis/apps/v1", "apis/peers.keelson.dev/v1"} {
		document, is := paths[path]
		if !is {
			return fmt.Errorf("no OpenAPI of %s", path)
		}
		text, err := document.Schema("application/json")
		if err != nil {
			return err
		}
		var schema struct {
			Components struct {
				Schemas map[string]any `json:"schemas"`
			} `json:"components"`
			Paths map[string]any `json:"paths"`
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			return err
		}
		report.write(fields{"openAPIV3Of": path, "schemas": keysOf(schema.Components.Schemas), "paths": keysOf(schema.Paths)})
	}
	return nil
}

func keysOf(values map[string]any) []string {
	keys := []string{}
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
