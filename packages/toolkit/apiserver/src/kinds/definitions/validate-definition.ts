import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  hasDefaults,
  indexPath,
  invalid,
  type JsonObject,
  type JsonSchema,
  notSupported,
  required,
  validateRootSchema,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import { decodeEmbedded } from '../../schema/structural/coerce-embedded.ts';
import { validateApproval } from './api-approval.ts';
import { validateColumns } from './definition-columns.ts';
import { isEstablished, validateConversion } from './definition-conversion.ts';
import { labelProblem, requireNames, validateDefinitionNames } from './definition-names.ts';
import { validateSubresources } from './definition-subresources.ts';
import { validateDeprecation } from './deprecation-warning.ts';
import { InternalForm, type PlacedPart, schemaIn, type SharedPart } from './internal-form.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import { validateStoredVersions } from './stored-versions.ts';

const scopes = ['Cluster', 'Namespaced'];

/** Validates a new CustomResourceDefinition, or an update of `old`, in the order of kube-apiserver. */
export function validateDefinition(definition: JsonObject, old?: JsonObject): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  return [
    ...(old === undefined ? nameCauses(definition) : []),
    ...specCauses(definition, old),
    ...(old === undefined ? [] : changeCauses(spec, old)),
    ...validateDefinitionNames(
      objectAt(objectAt(definition, 'status'), 'acceptedNames'),
      'status.acceptedNames',
    ),
    ...validateStoredVersions(definition, old),
    ...validateApproval(definition, old),
    ...preservationCauses(spec, old),
  ];
}

function nameCauses(definition: JsonObject): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  const name = textAt(objectAt(definition, 'metadata'), 'name');
  const expected = `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`;
  if (name === '' || name === expected) return [];
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function specCauses(definition: JsonObject, old: JsonObject | undefined): StatusCause[] {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
  const form = new InternalForm(spec);
  return [
    ...groupCauses(textAt(spec, 'group')),
    ...scopeCauses(textAt(spec, 'scope')),
    ...missingSchemaCauses(form),
    ...defaultsCauses(spec, form),
    ...form.versions.flatMap((version, index) => versionCauses(form, version, index)),
    ...versionListCauses(spec, form),
    ...requireNames(names, 'spec.names'),
    ...validateDefinitionNames(names, 'spec.names'),
    ...sharedCauses(form),
    ...validateConversion(definition, old),
  ];
}

/** Defaults need a server that prunes. */
function defaultsCauses(spec: JsonObject, form: InternalForm): StatusCause[] {
  if (spec['preserveUnknownFields'] !== true) return [];
  const parts = [
    form.shared('schema'),
    ...form.versions.map((_, index) => form.own(index, 'schema')),
  ];
  if (!parts.some((part) => hasDefaults(schemaIn(part)))) return [];
  const detail = 'must be false in order to use defaults in the schema';
  return [invalid('spec.preserveUnknownFields', true, detail)];
}

function groupCauses(group: string): StatusCause[] {
  if (group === '') return [required('spec.group')];
  const problems = checkSubdomain(group);
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))];
  if (group.includes('.')) return [];
  return [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeCauses(scope: string): StatusCause[] {
  if (scope === '') return [required('spec.scope')];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function missingSchemaCauses(form: InternalForm): StatusCause[] {
  if (schemaIn(form.shared('schema')) !== undefined) return [];
  return form.versions.flatMap((_, index) =>
    schemaIn(form.own(index, 'schema')) === undefined
      ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)]
      : [],
  );
}

function versionCauses(form: InternalForm, version: JsonObject, index: number): StatusCause[] {
  const path = indexPath('spec.versions', index);
  const name = textAt(version, 'name');
  const problem = labelProblem(name);
  // Kubernetes looks the subresources up by the name of the version, which may occur twice.
  const named = form.versions.findIndex((each) => textAt(each, 'name') === name);
  const subresources = form.own(named, 'subresources') ?? form.shared('subresources');
  const own = (part: SharedPart): PlacedPart | undefined => form.own(index, part);
  const selectable = own('selectableFields');
  return [
    ...(problem === undefined ? [] : [invalid(childPath(path, 'name'), name, problem)]),
    ...validateDeprecation(version, childPath(path, 'deprecationWarning')),
    ...schemaCauses(own('schema'), hasStatus(subresources)),
    ...ifPresent(own('subresources'), validateSubresources),
    ...ifPresent(own('additionalPrinterColumns'), validateColumns),
    ...ifPresent(selectable, (part) => selectableCauses(part, own('schema'), ownSchemaMissing)),
  ];
}

const ownSchemaMissing = 'may only be set when `version.schema.openAPIV3Schema` is not included';
const sharedSchemaMissing = 'may only be set when validations.schema is included';

function sharedCauses(form: InternalForm): StatusCause[] {
  const statuses = form.versions.map((_, index) => hasStatus(form.own(index, 'subresources')));
  const anyStatus = statuses.includes(true) || hasStatus(form.shared('subresources'));
  return [
    ...schemaCauses(form.shared('schema'), anyStatus),
    ...ifPresent(form.shared('subresources'), validateSubresources),
    ...ifPresent(form.shared('additionalPrinterColumns'), validateColumns),
    ...ifPresent(form.shared('selectableFields'), (part) =>
      selectableCauses(part, form.shared('schema'), sharedSchemaMissing),
    ),
  ];
}

function ifPresent(
  part: PlacedPart | undefined,
  validate: (part: PlacedPart) => StatusCause[],
): StatusCause[] {
  return part?.value === undefined ? [] : validate(part);
}

function hasStatus(part: PlacedPart | undefined): boolean {
  const { status } = (part?.value ?? {}) as JsonObject;
  return status !== undefined && status !== null;
}

function schemaCauses(part: PlacedPart | undefined, status: boolean): StatusCause[] {
  const schema = schemaIn(part);
  if (part === undefined || schema === undefined) return [];
  const path = childPath(part.path, 'openAPIV3Schema');
  return validateRootSchema(schema, path, { hasStatus: status, decodeEmbedded });
}

/** Selectable fields need a schema in the same place of the internal form. */
function selectableCauses(
  part: PlacedPart,
  schema: PlacedPart | undefined,
  whyMissing: string,
): StatusCause[] {
  const found: JsonSchema | undefined = schemaIn(schema);
  return found === undefined
    ? [invalid(part.path, '', whyMissing)]
    : validateSelectableFields(part, found);
}

function versionListCauses(spec: JsonObject, { versions }: InternalForm): StatusCause[] {
  const names = versions.map((version) => textAt(version, 'name'));
  const stored = versions.filter((version) => version['storage'] === true).length;
  const [first = ''] = names;
  const problem = first === '' ? undefined : labelProblem(first);
  const list = spec['versions'] ?? null;
  return [
    ...(new Set(names).size === names.length
      ? []
      : [invalid('spec.versions', list, 'must contain unique version names')]),
    ...(stored === 1
      ? []
      : [
          invalid('spec.versions', list, 'must have exactly one version marked as storage version'),
        ]),
    // kube-apiserver reports the first version also under a removed field.
    ...(problem === undefined ? [] : [invalid('spec.version', first, problem)]),
  ];
}

function changeCauses(spec: JsonObject, old: JsonObject): StatusCause[] {
  const before = objectAt(old, 'spec');
  const names = [objectAt(spec, 'names'), objectAt(before, 'names')] as const;
  return [
    ...(isEstablished(old)
      ? [...unchanged(spec, before, 'scope', 'spec'), ...unchanged(...names, 'kind', 'spec.names')]
      : []),
    ...unchanged(spec, before, 'group', 'spec'),
    ...unchanged(...names, 'plural', 'spec.names'),
  ];
}

function unchanged(
  after: JsonObject,
  before: JsonObject,
  name: string,
  path: FieldPath,
): StatusCause[] {
  if (after[name] === before[name]) return [];
  return [invalid(childPath(path, name), after[name], 'field is immutable')];
}

function preservationCauses(spec: JsonObject, old: JsonObject | undefined): StatusCause[] {
  const wasSet = old !== undefined && objectAt(old, 'spec')['preserveUnknownFields'] === true;
  if (spec['preserveUnknownFields'] !== true || wasSet) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid('spec.preserveUnknownFields', true, detail)];
}
