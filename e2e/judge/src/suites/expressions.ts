import * as fc from 'fast-check';
import type { JsonValue } from '@keelson/structural-schema';
import type { Decision } from '../comparison/decision.ts';
import type { Agreement, Verdict } from '../comparison/verdict.ts';
import { type Answer, OurScope, type Run } from '../expressions/our-answer.ts';
import { damaged, type Node, smallerNodes, sourceOf } from '../expressions/expression.ts';
import { ExpressionSource, type Manner } from '../expressions/random-expression.ts';
import { RandomSource } from '../expressions/random-source.ts';
import { schema, values } from '../expressions/resource.ts';
import type { Suite } from './suite.ts';

/** CEL expressions about the resource of `expressions/resource.ts`. */
export interface ExpressionCase {
  readonly expressions: readonly Node[];
}

/** Expressions of one case, which share a request. */
const EXPRESSIONS_PER_CASE = 10;

/** Share of expressions whose source is damaged, so that most of them do not parse. */
const DAMAGED_SHARE = 0.05;

const manners: readonly Manner[] = [
  { illTyped: 0.03, dynamic: 0.08 },
  { illTyped: 0, dynamic: 0.25 },
  { illTyped: 0.15, dynamic: 0.1 },
];

/**
 * Compares whether expressions compile, their types, their estimated costs, and the value or error and the cost of
 * their evaluations.
 */
export const expressions: Suite<ExpressionCase> = {
  name: 'expressions',
  cases: fc.integer({ min: 0, max: 2 ** 31 - 1 }).map((seed) => {
    const random = new RandomSource(seed);
    const nodes = Array.from({ length: EXPRESSIONS_PER_CASE }, () => randomNode(random));
    return { expressions: nodes };
  }),
  async decide({ judge }, { expressions: nodes }) {
    const sources = nodes.map(sourceOf);
    const input = { schema, values, expressions: sources };
    const answers = (await judge.ask('cel', input)) as readonly Answer[];
    const scope = new OurScope(schema);
    return sources.map((source, index) =>
      compare(scope.answer(source, values as readonly JsonValue[]), answers[index] ?? {}),
    );
  },
  smaller: smallerCases,
};

function* smallerCases({ expressions: nodes }: ExpressionCase): Generator<ExpressionCase> {
  const smaller = nodes.length > 1 ? nodes : nodes.flatMap((each) => [...smallerNodes(each)]);
  for (const node of smaller) yield { expressions: [node] };
}

function randomNode(random: RandomSource): Node {
  const node = new ExpressionSource(random, random.pick(manners)).expression();
  if (!random.chance(DAMAGED_SHARE)) return node;
  return { template: damaged(random, sourceOf(node)), operands: [] };
}

function compare(ours: Answer, judge: Answer): Verdict {
  const [one, other] = [decisionOf(ours), decisionOf(judge)];
  return { agreement: agreementOf(ours, judge), ours: one, judge: other };
}

/** An expression that does not compile has the code 422, and one without a program 400. */
function decisionOf({ issues, program, ...compiled }: Answer): Decision {
  if (issues !== undefined) return { code: 422, causes: problemsIn(issues) };
  if (program !== undefined) return { code: 400, causes: [program] };
  return { code: 200, causes: [], object: { ...compiled } as never };
}

/** The errors without the lines of the source, whose pointers have other widths in Go. */
function problemsIn(issues: string): readonly string[] {
  return issues.split('\n').filter((line) => !line.startsWith(' | '));
}

function agreementOf(ours: Answer, judge: Answer): Agreement {
  if (judge.program?.startsWith('panic:') === true) return 'undecided';
  const [one, other] = [decisionOf(ours), decisionOf(judge)];
  if (one.code !== other.code) return 'different';
  if (one.code !== 200) return sameText(one.causes, other.causes) ? 'equal' : 'words';
  const isSame =
    ours.type === judge.type && near(ours.least, judge.least) && near(ours.most, judge.most);
  if (!isSame) return 'different';
  const runs = new Set(judge.runs?.map((run, index) => runAgreement(ours.runs?.[index], run)));
  return (['different', 'words'] as const).find((each) => runs.has(each)) ?? 'equal';
}

function runAgreement(ours: Run | undefined, judge: Run): Agreement {
  if (judge.unstable === true) return 'equal';
  if (ours === undefined || !near(ours.cost, judge.cost)) return 'different';
  if ((ours.error === undefined) !== (judge.error === undefined)) return 'different';
  if (ours.error !== undefined) return ours.error === judge.error ? 'equal' : 'words';
  return sameText(ours.value, judge.value) ? 'equal' : 'different';
}

function sameText(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Costs above 2^53 have fewer digits in JavaScript. */
function near(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  return Math.abs(Number(one) - Number(other)) <= 1e-9 * Math.abs(Number(other));
}
