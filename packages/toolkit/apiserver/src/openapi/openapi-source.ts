import type { Definition } from '../crd/definition.ts';
import type { JsonObject } from '@keelson/structural-schema';
import { kubernetesVersion } from '../kinds/builtin-resources.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import type { CustomSchema } from './custom-schema.ts';
import type { OpenApiSource } from './openapi-document.ts';

/** Collects the input of the documents from the current definitions. */
export function openApiSource(
  definitions: readonly Definition[],
  version: KubernetesVersion,
): OpenApiSource {
  const customs = definitions.flatMap(schemasOf);
  return { customs, kubernetesVersion: kubernetesVersion(version), version };
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
      // The schema is JSON from a request; its static type lists only the members that the server reads.
      schema: schema?.openAPIV3Schema as JsonObject | undefined,
    }));
}
