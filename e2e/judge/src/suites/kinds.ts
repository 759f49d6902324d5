import * as fc from 'fast-check';
import { defineKind, InvalidObjectError, SchemaError } from '@keelson/schema';
import {
  jsonEquals,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  withoutLoneSurrogates,
} from '@keelson/structural-schema';
import { decisionOfJudge, type Decision, type JudgedWrite } from '../comparison/decision.ts';
import type { Verdict } from '../comparison/verdict.ts';
import { UndecidedError } from '../judge.ts';
import { definitionOfOptions, kindOptions } from '../random/kind-options.ts';
import { valueOf } from '../random/value.ts';
import type { Sides, Suite } from './suite.ts';

/** Options of `defineKind`, and values of `spec` that its `parse` gets. */
export interface KindCase {
  readonly options: JsonObject;
  readonly values: readonly JsonValue[];
}

/** Defines kinds, and parses objects of those that both sides accept. */
export const kinds: Suite<KindCase> = {
  name: 'kinds',
  cases: kindOptions.chain((options) =>
    fc
      .array(valueOf((options['spec'] ?? {}) as JsonSchema), { minLength: 1, maxLength: 3 })
      .map((values) => ({ options, values: values.map(wellFormed) })),
  ),
  async decide(sides, { options, values }) {
    if (options['spec'] === undefined) throw new Error('the options need a schema of spec');
    const kind = definedKind(options);
    const definition = typeof kind === 'string' ? definitionOfOptions(options) : kind.crd;
    const judged = await askFor(sides, 'definition', { definition });
    if (judged === undefined) return [];
    const ours: Decision =
      typeof kind === 'string' ? { code: 422, causes: [kind] } : { code: 200, causes: [] };
    const verdict = verdictOf(ours, { code: judged.code, causes: judged.causes });
    // `defineKind` refuses what is probably a mistake, such as a required member that no property declares.
    if (ours.code !== 200 && judged.code === 200) return [{ ...verdict, agreement: 'strict' }];
    const verdicts = [verdict];
    if (typeof kind === 'string' || judged.code !== 200) return verdicts;
    for (const value of values) {
      verdicts.push(...(await parsed(sides, { kind, definition }, value)));
    }
    return verdicts;
  },
};

/** Compares the decisions and the stored objects. The words of `@keelson/schema` are its own, and name the cure. */
function verdictOf(ours: Decision, judge: Decision): Verdict {
  const isSame =
    (ours.code === 200) === (judge.code === 200) && jsonEquals(ours.object, judge.object);
  return { agreement: isSame ? 'equal' : 'different', ours, judge };
}

type Kind = ReturnType<typeof defineKind>;

/** Returns the kind, or why the options are refused. */
function definedKind(options: JsonObject): Kind | string {
  try {
    return defineKind(options as never);
  } catch (error) {
    if (error instanceof SchemaError || isInvalidOption(error)) return (error as Error).message;
    throw error;
  }
}

function isInvalidOption(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'INVALID_OPTION';
}

async function parsed(
  sides: Sides,
  { kind, definition }: { readonly kind: Kind; readonly definition: object },
  value: JsonValue,
): Promise<readonly Verdict[]> {
  const { group, version, kind: name, namespaced } = kind.resource;
  const metadata = { name: 'a', ...(namespaced && { namespace: 'default' }) };
  const object = { apiVersion: `${group}/${version}`, kind: name, metadata, spec: value };
  const judged = await askFor(sides, 'object', { definition, version, object });
  if (judged === undefined) return [];
  const spec = judged.object?.['spec'];
  const theirs = {
    code: judged.code,
    causes: judged.causes,
    ...(spec !== undefined && { object: { spec } }),
  };
  return [verdictOf(parse(kind, object), theirs)];
}

function parse(kind: Kind, object: JsonObject): Decision {
  try {
    const { spec } = kind.parse(object, { unknownFields: 'drop' }) as { spec?: JsonValue };
    return { code: 200, causes: [], ...(spec !== undefined && { object: { spec } }) };
  } catch (error) {
    if (error instanceof InvalidObjectError) return { code: 422, causes: [error.message] };
    throw error;
  }
}

async function askFor(
  { judge }: Sides,
  op: 'definition' | 'object',
  question: object,
): Promise<Decision | undefined> {
  try {
    return decisionOfJudge((await judge.ask(op, question)) as JudgedWrite);
  } catch (error) {
    if (error instanceof UndecidedError) return undefined;
    throw error;
  }
}

/** The value that a server decodes: `parse` gets the texts of JavaScript, which may have lone surrogates. */
function wellFormed(value: JsonValue): JsonValue {
  return JSON.parse(withoutLoneSurrogates(JSON.stringify(value))) as JsonValue;
}
