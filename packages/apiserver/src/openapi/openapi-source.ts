import type { Definition } from '../crd/definition.ts';
import type { JsonObject } from '../json/json-value.ts';
import { kubernetesVersion } from '../kinds/builtin-resources.ts';
import type { CustomSchema } from './custom-schema.ts';
import type { OpenApiSource } from './openapi-document.ts';

/** What the documents are made from at this moment. */
export function openApiSource(definitions: readonly Definition[]): OpenApiSource {
  return { customs: definitions.flatMap(schemasOf), kubernetesVersion: kubernetesVersion() };
}

function schemasOf({ spec }: Definition): CustomSchema[] {
  const { kind, plural, listKind = `${kind}List` } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name, schema, subresources = {}, selectableFields = [] }) => ({
      group: spec.group,
      version: name,
      kind,
      listKind,
      plural,
      namespaced: spec.scope === 'Namespaced',
      subresources: Object.keys(subresources),
      selectablePaths: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
      // A schema came as JSON, whatever the type of its interesting members.
      schema: schema?.openAPIV3Schema as JsonObject | undefined,
    }));
}
