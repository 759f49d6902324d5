import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import {
  createTestEnvironment,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '@keelson/envtest';
import { type Difference, linesOf } from './comparison.ts';
import { serverOf } from './environments.ts';
import { admissionSession, readAdmissionParts } from './sessions/admission-session.ts';
import { compareSession, type SessionAgreement } from './sessions/compare-session.ts';
import { randomSession } from './sessions/random-session.ts';
import { isListed, readKnownSessionDifferences } from './sessions/session-differences.ts';
import { readSessionDefinition, readSessionKinds } from './sessions/session-kind.ts';
import { SessionPlayer } from './sessions/session-player.ts';
import { SessionTally } from './sessions/session-tally.ts';
import type { Step } from './step.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

const { values } = parseArgs({
  options: {
    /** Folder of etcd and kube-apiserver. Default `KUBEBUILDER_ASSETS`; without it the binaries are built with Go. */
    assets: { type: 'string', default: process.env['KUBEBUILDER_ASSETS'] ?? '' },
    /** Number of sessions. */
    seeds: { type: 'string', default: '200' },
    /** Seed of the first session. */
    first: { type: 'string', default: '1' },
    /** Plays only kinds whose name starts with this prefix; case does not matter. */
    kind: { type: 'string', default: '' },
    /** Plays sessions that also write webhooks and policies. */
    admission: { type: 'boolean', default: false },
    /** Path of a JSON file for all differences, also the listed ones. */
    report: { type: 'string' },
    /**
     * Plays the session of this seed, prints every difference, then shrinks the session to the shortest one that
     * differs.
     */
    replay: { type: 'string' },
  },
});

const kinds = (await readSessionKinds()).filter(({ kind }) =>
  kind.toLowerCase().startsWith(values.kind.toLowerCase()),
);
const sessions = values.admission
  ? admissionSession(kinds, await readAdmissionParts())
  : randomSession(kinds);
const known = await readKnownSessionDifferences();

function sessionOf(seed: number): readonly Step[] {
  return fc.sample(sessions, { seed, numRuns: 1 })[0] ?? [];
}

function say(line: string): void {
  console.error(line);
}

async function assetsOf(): Promise<string> {
  if (values.assets !== '') return values.assets;
  const folder = await cacheFolder(process.env);
  await buildBinaries({ binaries: ['etcd', 'kube-apiserver'], folder, onProgress: say });
  return folder;
}

/** Creates an environment without controllers, so that only the requests change objects. */
function environmentOf(options: TestEnvironmentOptions): Promise<TestEnvironment> {
  return createTestEnvironment({ ...options, controllers: [] });
}

/** Plays a session under a name on both servers, and again on the real one if an unlisted difference appears. */
function compare(
  player: SessionPlayer,
  name: string,
  steps: readonly Step[],
): Promise<SessionAgreement> {
  const stage = player.stageOf(name, steps);
  return compareSession(name, stage, (difference) => isListed(difference, known));
}

async function run(player: SessionPlayer): Promise<boolean> {
  const tally = new SessionTally(known);
  const found: Difference[] = [];
  const first = Number(values.first);
  const last = first + Number(values.seeds) - 1;
  for (let seed = first; seed <= last; seed++) {
    const agreement = await compare(player, `s${seed}`, sessionOf(seed));
    if (agreement.unstable.length > 0)
      say(
        `seed ${seed}: the real server disagrees with itself in ${agreement.unstable.length} steps`,
      );
    found.push(...agreement.differences);
    const unlisted = tally.add(seed, agreement);
    if (unlisted.length > 0) say(`seed ${seed}: ${unlisted.length} steps differ`);
    if (seed % 25 === 0) say(`[${seed - first + 1}/${last - first + 1}] ${percent(tally.share)}`);
  }
  for (const line of tally.lines()) console.log(line);
  if (values.report) await writeFile(values.report, JSON.stringify(found, undefined, 1));
  console.log(`${tally.sessions} sessions, ${tally.steps} steps, ${percent(tally.share)} equal`);
  return tally.passes;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

/** Prints a session with its differences, then the shortest session that fast-check finds. */
async function replay(player: SessionPlayer, seed: number): Promise<boolean> {
  await show(player, `s${seed}`, sessionOf(seed));
  const property = fc.asyncProperty(sessions, async (steps) => {
    const { differences } = await compare(player, `s${seed}`, steps);
    return differences.every((difference) => isListed(difference, known));
  });
  const { counterexample } = await fc.check(property, { seed, numRuns: 1 });
  if (counterexample === null) return true;
  console.log('\nThe shortest session that differs:');
  await show(player, `s${seed}`, counterexample[0]);
  return false;
}

async function show(player: SessionPlayer, name: string, steps: readonly Step[]): Promise<void> {
  const { differences } = await compare(player, name, steps);
  for (const { name: step, request, type = '', body } of steps) {
    console.log(`${step}: ${request} ${type} ${body === undefined ? '' : JSON.stringify(body)}`);
    const found = differences.find((difference) => difference.step === step);
    if (found === undefined) continue;
    console.log(`    ${found.statuses.join(' ≠ ')}`);
    for (const line of linesOf(found.places)) console.log(`    ${line}`);
  }
}

async function main(): Promise<boolean> {
  await using real = await environmentOf({ use: 'binaries', assets: await assetsOf() });
  await using ours = await environmentOf({ use: 'memory' });
  await using webhooks = await WebhookEndpoint.start();
  const definition = await readSessionDefinition();
  await Promise.all([real, ours].map((environment) => environment.installCrds([definition])));
  const player = new SessionPlayer(
    await serverOf('kube-apiserver', real, webhooks.variables),
    await serverOf('@keelson/apiserver', ours, webhooks.variables),
  );
  try {
    return await (values.replay === undefined
      ? run(player)
      : replay(player, Number(values.replay)));
  } finally {
    await player.close();
  }
}

process.exitCode = (await main()) ? 0 : 1;
