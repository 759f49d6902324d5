import { defineResource, type ApiResource, type KubernetesObject } from '@keelson/apimachinery';

/** The custom resource that the Go program's controller reconciles. */
export interface WidgetObject extends KubernetesObject {
  readonly spec?: { readonly copies: number; readonly text: string };
  readonly status?: { readonly copies?: number; readonly observedGeneration?: number };
}

export const Widget: ApiResource<WidgetObject> = defineResource<WidgetObject>({
  group: 'peers.keelson.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
});

export const widgetDefinition: KubernetesObject & { readonly spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.peers.keelson.dev' },
  spec: {
    group: 'peers.keelson.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['copies'],
                properties: {
                  copies: { type: 'integer', minimum: 0 },
                  text: { type: 'string', default: 'nothing' },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
