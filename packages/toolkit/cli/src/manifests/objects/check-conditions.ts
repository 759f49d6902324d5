import type { ApiResource } from '@keelson/apimachinery';
import {
  type CustomResourceDefinition,
  matchConditionProblem,
  type PolicyResource,
} from '@keelson/schema';
import type { AnyWebhook, DefinedWebhook } from '@keelson/webhook';
import { CliError } from '../../errors.ts';
import type { Definition } from '../operator/operator-sources.ts';

/**
 * Compiles the match conditions of the declared webhooks. The types are checked if a webhook reviews one kind of the
 * project. Throws `CONDITION_INVALID`, or an `AggregateError` of several.
 */
export function checkConditions(
  webhooks: readonly AnyWebhook[],
  definitions: readonly Definition[],
): void {
  const errors = webhooks.flatMap((webhook) => errorsOf(webhook as DefinedWebhook, definitions));
  if (errors.length > 1) throw new AggregateError(errors, 'several match conditions are invalid');
  if (errors[0] !== undefined) throw errors[0];
}

function errorsOf(webhook: DefinedWebhook, definitions: readonly Definition[]): CliError[] {
  const { name, matchConditions = [], subresource } = webhook;
  const resource = definedResource(webhook, definitions);
  const scope = { ...(resource && { resource }), ...(subresource && { subresource }) };
  return matchConditions.flatMap(({ name: condition, expression }) => {
    const reason = matchConditionProblem(expression, scope);
    if (reason === undefined) return [];
    const facts = { webhook: name, condition, expression, reason };
    return [new CliError('CONDITION_INVALID', facts)];
  });
}

/** The kind of a webhook that reviews one kind of the project. */
function definedResource(
  { resource = '*', kind }: DefinedWebhook,
  definitions: readonly Definition[],
): PolicyResource | undefined {
  const single = isToken(resource) ? resource : kind?.resource;
  const definition = definitions.find(
    (each) => each.kind.group === single?.group && each.kind.plural === single.plural,
  );
  if (single === undefined || definition === undefined) return undefined;
  // The file of the definition is JSON, whose schema only the check of types reads.
  return { resource: single, crd: definition.object as unknown as CustomResourceDefinition };
}

function isToken(resource: NonNullable<DefinedWebhook['resource']>): resource is ApiResource {
  return typeof resource === 'object' && !Array.isArray(resource);
}
