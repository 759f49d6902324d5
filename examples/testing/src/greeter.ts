import {
  builtin,
  createManager,
  defineResource,
  setControllerReference,
  type ApiResource,
  type KubernetesObject,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';

export interface Greeting extends KubernetesObject {
  spec: { text: string };
}

export const Greeting: ApiResource<Greeting> = defineResource<Greeting>({
  group: 'greetings.example.com',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
});

export const greetingDefinition: KubernetesObject & { spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'greetings.greetings.example.com' },
  spec: {
    group: Greeting.group,
    scope: 'Namespaced',
    names: { plural: Greeting.plural, kind: Greeting.kind },
    versions: [
      {
        name: Greeting.version,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } },
          },
        },
      },
    ],
  },
};

/** The operator under test: it puts the text of every Greeting into a ConfigMap. */
export function createGreeter(options: ManagerOptions): Manager {
  const manager = createManager(options);
  manager.addController({
    name: 'greeter',
    for: Greeting,
    owns: [builtin.ConfigMap],
    async reconcile({ namespace, name }, { cache, client, signal }) {
      const greeting = cache.get(Greeting, { namespace, name });
      if (greeting === undefined) return;
      const { text } = greeting.spec;
      const configMap = setControllerReference(
        { metadata: { namespace, name }, data: { text } },
        greeting,
      );
      await client.apply(builtin.ConfigMap, configMap, { signal });
    },
  });
  return manager;
}
