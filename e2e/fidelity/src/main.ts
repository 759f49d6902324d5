import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  createTestEnvironment,
  kubernetesVersions,
  type KubernetesVersion,
  type TestEnvironmentOptions,
} from '@keelson/envtest';
import { partProblems, readControlPlaneParts } from './control-plane-parts.ts';
import { compare, lateSteps, linesOf, type Agreement, type Recording } from './comparison.ts';
import { readConversation, type Chapter } from './conversation.ts';
import { serverOf } from './environments.ts';
import { contradicts, judge, readKnownDifferences, type Verdict } from './known-differences.ts';
import { record } from './record.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

/** Least shares of steps with equal status and with equal body. */
const LEAST_SAME_STATUS = 0.99;
const LEAST_SAME_BODY = 0.97;
/** Largest share of all steps on which two runs of kube-apiserver may differ. */
const MOST_UNSETTLED = 0.005;

const controllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'policy-status',
  'resource-quota',
] as const;

/**
 * The alpha gates that a chapter needs, on both servers. Off, the parameter of `ShardedListAndWatch` has no effect at all; a
 * second pair of servers for that sentence would double the time of the run, so a unit test has it.
 */
const featureGates = { ShardedListAndWatch: true };

const { values } = parseArgs({
  options: {
    /** Folder of etcd, kube-apiserver and kube-controller-manager. */
    assets: { type: 'string' },
    /** Plays only chapters whose name starts with one of these prefixes, separated by commas. */
    only: { type: 'string', default: '' },
    /** Path of a JSON file for the differences. */
    report: { type: 'string' },
    /** The version of the real control plane, if it is a former one. Its differences are printed, and decide nothing. */
    kubernetes: { type: 'string' },
    /** Does not record the chapters with new differences again, for work on one difference. */
    once: { type: 'boolean', default: false },
  },
});

const assets = values.assets ?? process.env.KUBEBUILDER_ASSETS ?? '';

async function recordOn(
  name: string,
  options: TestEnvironmentOptions,
  chapters: readonly Chapter[],
  webhooks: WebhookEndpoint,
): Promise<Recording> {
  await using environment = await createTestEnvironment(options);
  const server = await serverOf(name, environment, webhooks.variables);
  // Awaited here, because the environment stops at the end of this block.
  return await record(server, chapters, (line) => console.error(line));
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function print(title: string, agreement: Agreement): void {
  const { steps, sameStatus, sameBody, differences } = agreement;
  for (const { chapter, step, request, statuses, places } of differences) {
    console.log(`${chapter}: ${step}: ${request}: ${statuses.join(' ≠ ')}`);
    for (const line of linesOf(places)) console.log(`    ${line}`);
  }
  console.log(
    `${title}: ${steps} steps, status ${percent(sameStatus, steps)}, body ${percent(sameBody, steps)}`,
  );
}

function printVerdict({ unlisted, outdated }: Verdict): void {
  for (const step of unlisted) console.log(`not in known-differences.yaml: ${step}`);
  for (const step of outdated) console.log(`listed in known-differences.yaml but equal: ${step}`);
}

async function chosenChapters(): Promise<readonly Chapter[]> {
  const all = await readConversation();
  const wanted = values.only.split(',');
  return all.filter(({ name }) => wanted.some((text) => name.startsWith(text)));
}

/** The options of both servers. */
interface Servers {
  readonly real: TestEnvironmentOptions;
  readonly memory: TestEnvironmentOptions;
}

/** Plays the chapters on both servers, and prints their differences. */
async function playOnBoth(
  { real, memory }: Servers,
  chapters: readonly Chapter[],
  webhooks: WebhookEndpoint,
): Promise<{ first: Recording; late: readonly string[]; agreement: Agreement }> {
  // At the same time, because most of the time of each is spent on waits.
  const [first, ours] = await Promise.all([
    recordOn('kube-apiserver', real, chapters, webhooks),
    recordOn('@keelson/apiserver', memory, chapters, webhooks),
  ]);
  const late = [...lateSteps(first), ...lateSteps(ours)];
  for (const step of late) console.log(`waited in vain: ${step}`);
  const agreement = compare(first, ours);
  print('kube-apiserver with @keelson/apiserver', agreement);
  if (values.report) await writeFile(values.report, JSON.stringify(agreement, undefined, 1));
  return { first, late, agreement };
}

/** Compares a former version of Kubernetes with the server in memory that behaves as that version. */
async function compareFormer(version: KubernetesVersion): Promise<void> {
  // It needs the gate `ShardedListAndWatch`, which begins with 1.36.
  const chapters = (await chosenChapters()).filter(({ name }) => name !== 'sharded-lists');
  await using webhooks = await WebhookEndpoint.start();
  const real: TestEnvironmentOptions = { use: 'binaries', controllers, assets };
  await playOnBoth({ real, memory: { use: 'memory', controllers, version } }, chapters, webhooks);
}

/** Compares the newest version, and returns whether all differences are known. */
async function compareNewest(): Promise<boolean> {
  const chapters = await chosenChapters();
  await using webhooks = await WebhookEndpoint.start();
  const real: TestEnvironmentOptions = { use: 'binaries', controllers, featureGates, assets };
  const memory: TestEnvironmentOptions = { use: 'memory', controllers, featureGates };
  const { first, late, agreement } = await playOnBoth({ real, memory }, chapters, webhooks);
  const { steps, sameStatus, sameBody, differences } = agreement;
  const known = await readKnownDifferences();
  const names = chapters.map(({ name }) => name);
  let verdict = judge(known, differences, names);
  const doubtful = chapters.filter(({ name }) => contradicts(verdict, name));
  if (doubtful.length > 0 && !values.once) {
    // A difference does not count where two runs of kube-apiserver differ too.
    const second = await recordOn('kube-apiserver again', real, doubtful, webhooks);
    const stable = compare(second, first);
    print('kube-apiserver with itself', stable);
    if (stable.differences.length > MOST_UNSETTLED * steps) return false;
    verdict = judge(known, differences, names, stable.differences);
  }
  printVerdict(verdict);
  const problems = await partProblems(await readControlPlaneParts(), assets);
  for (const problem of problems) console.log(`control-plane-parts.yaml: ${problem}`);
  const isListed = verdict.unlisted.length === 0 && verdict.outdated.length === 0;
  return (
    isListed &&
    late.length === 0 &&
    problems.length === 0 &&
    sameStatus >= LEAST_SAME_STATUS * steps &&
    sameBody >= LEAST_SAME_BODY * steps
  );
}

if (values.kubernetes === undefined) process.exitCode = (await compareNewest()) ? 0 : 1;
else {
  const version = kubernetesVersions.find((each) => each === values.kubernetes);
  if (version === undefined)
    throw new Error(`--kubernetes must be one of ${kubernetesVersions.join(', ')}`);
  await compareFormer(version);
}
