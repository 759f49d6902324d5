import { builtin, type ObjectOf } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { projectDefinitions } from '../../project/definitions/project-definitions.ts';
import type { Project } from '../../project/project.ts';
import { found, type Check, type Outcome } from '../runner/check-runner.ts';
import { bundleProblem } from './conversion-bundle.ts';
import { endpointProblem } from './conversion-endpoint.ts';
import { lostField } from './lost-field.ts';

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/** The most outcomes of definitions that are not those of the project. */
const MAX_FOREIGN = 20;

/**
 * Checks that each conversion that a definition of the project or of the cluster needs is served: the Service has a ready
 * endpoint, `caBundle` verifies its certificate, and a list in each version succeeds. Versions with different schemas
 * need a conversion. A problem of a definition that is not one of the project is a warning.
 */
export function conversionsCheck(client: Client, project: Project): Check<never> {
  return {
    name: 'conversions',
    cure: 'let the user list CustomResourceDefinitions, and correct the kind modules or the CRD files',
    run: async (signal) => {
      const own = (await projectDefinitions(project, { signal })) as readonly Definition[];
      const { items } = await client.list(builtin.CustomResourceDefinition, { signal });
      const outcomes: Outcome[] = [];
      let checked = 0;
      let foreign = 0;
      for (const definition of items) {
        const expected = own.find(({ metadata }) => metadata?.name === definition.metadata.name);
        if (expected === undefined && !needsConversion(definition)) continue;
        checked += needsConversion(definition) || converts(expected) ? 1 : 0;
        const outcome = await examine(client, { definition, expected, signal });
        if (outcome === undefined) continue;
        foreign += expected === undefined ? 1 : 0;
        if (expected !== undefined || foreign <= MAX_FOREIGN) outcomes.push(outcome);
      }
      if (outcomes.length > 0) return { outcomes };
      return found('ok', checked === 0 ? 'no definition needs one' : `served: ${checked}`);
    },
  };
}

interface Examination {
  /** The definition of the cluster. */
  readonly definition: Definition;
  /** That of the project, if it has one of this name. */
  readonly expected: Definition | undefined;
  readonly signal: AbortSignal;
}

/** Returns the problem of the conversion of a definition. */
async function examine(client: Client, examination: Examination): Promise<Outcome | undefined> {
  const { definition, expected, signal } = examination;
  const name = definition.metadata?.name ?? '';
  // The conversion of another operator is not an error of this project.
  const status = expected === undefined ? 'warning' : 'failed';
  const failed = (detail: string, cure: string): Outcome => {
    return { status, detail: `${name} ${detail}`, cure };
  };
  if (!converts(definition)) {
    if (converts(expected)) {
      const cure = 'apply the definition of keelson manifests, which has the conversion';
      return failed('has no conversion in the cluster, but in the project', cure);
    }
    const loss = lostField(definition.spec.versions);
    if (loss === undefined) return undefined;
    // With the strategy None the server drops the fields that the other version lacks.
    const { field, from, to } = loss;
    const cure = 'give its versions a conversion (docs/guides/conversion.md), or the same schema';
    return failed(`has no conversion, and ${to} lacks ${field} of ${from}`, cure);
  }
  const clientConfig = definition.spec.conversion?.webhook?.clientConfig ?? {};
  const { service, caBundle } = clientConfig;
  if (service !== undefined) {
    const problem =
      (await endpointProblem(client, service, signal)) ??
      (await bundleProblem(client, { service, caBundle }, signal));
    if (problem !== undefined)
      return failed(`has a conversion that nothing serves: ${problem.detail}`, problem.cure);
  }
  const refusal = await listRefusal(client, definition, signal);
  if (refusal === undefined) return undefined;
  const cure =
    'see the log of the webhook, and correct its certificate, its address or the conversion';
  return failed(`cannot be converted: ${refusal}`, cure);
}

function converts(definition: Definition | undefined): boolean {
  return definition?.spec.conversion?.strategy === 'Webhook';
}

function needsConversion(definition: Definition): boolean {
  return converts(definition) || definition.spec.versions.length > 1;
}

/** Lists one object in each served version: the server converts it if it is stored in another one. */
async function listRefusal(
  client: Client,
  { spec }: Definition,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const { name, served } of spec.versions) {
    if (!served) continue;
    try {
      await client.request({
        path: `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`,
        signal,
      });
    } catch (error) {
      const { message } = error as Error;
      // Another refusal, such as of the permission, has another cause than the conversion.
      if (message.includes('conversion webhook')) return message;
      signal.throwIfAborted();
    }
  }
  return undefined;
}
