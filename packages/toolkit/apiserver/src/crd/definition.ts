import type { KubernetesObject } from '@keelson/apimachinery';
import type { ScalePaths } from '../resources/served-resource.ts';
import type { JsonSchema } from '@keelson/structural-schema';
import type { ConversionWebhookSpec } from './conversion-webhook.ts';
import type { ApiObject } from '../storage/api-object.ts';

/** The members of a CustomResourceDefinition that the server reads. */
export interface Definition extends KubernetesObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: DefinitionNames;
    versions: DefinitionVersion[];
    conversion?: { strategy: string; webhook?: ConversionWebhookSpec };
  };
  status?: DefinitionStatus;
}

/** Casts a stored object of the kind; its schema guarantees these members. */
export function definitionIn(object: ApiObject): Definition {
  return object as ApiObject & Definition;
}

export interface DefinitionNames {
  plural: string;
  kind: string;
  singular?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** One entry of `spec.versions`. */
export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  format?: string;
  description?: string;
  priority?: number;
}

export interface DefinitionStatus {
  conditions?: DefinitionCondition[] | null;
  acceptedNames?: DefinitionNames;
  storedVersions?: string[];
}

export interface DefinitionCondition {
  type: string;
  status: 'True' | 'False';
  lastTransitionTime?: string;
  reason: string;
  message: string;
}

/** True if a condition has the status `True`; a missing condition counts as `False`. */
export function hasCondition(definition: Definition, type: string): boolean {
  return (definition.status?.conditions ?? []).some(
    (condition) => condition.type === type && condition.status === 'True',
  );
}

/** Sets a condition; its transition time changes only with its status. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  condition: DefinitionCondition,
): DefinitionCondition[] {
  const present = conditions.find(({ type }) => type === condition.type);
  if (present === undefined) return [...conditions, condition];
  const next =
    present.status === condition.status ? { ...condition, ...timeOf(present) } : condition;
  return conditions.map((other) => (other === present ? next : other));
}

function timeOf({ lastTransitionTime }: DefinitionCondition): { lastTransitionTime?: string } {
  return lastTransitionTime === undefined ? {} : { lastTransitionTime };
}
