import type { Definition } from '../crd/definition.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import { kubernetesVersion } from '../schema/builtin-resources.ts';
import { builtinDefinitions } from '../schema/builtin-definitions.ts';
import type { CustomSchema } from './custom-schema.ts';
import type { OpenApiSource } from './openapi-document.ts';

/** What the documents are made from at this moment. */
export function openApiSource(
  registry: ResourceRegistry,
  definitions: readonly Definition[],
): OpenApiSource {
  return {
    resources: registry.all().map(({ facts }) => facts),
    customs: definitions.flatMap(schemasOf),
    definitions: builtinDefinitions(),
    kubernetesVersion: kubernetesVersion(),
  };
}

function schemasOf({ spec }: Definition): CustomSchema[] {
  const { kind, plural, listKind = `${kind}List` } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name, schema }) => ({
      group: spec.group,
      version: name,
      kind,
      listKind,
      plural,
      schema: schema?.openAPIV3Schema as CustomSchema['schema'],
    }));
}
