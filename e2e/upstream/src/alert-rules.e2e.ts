import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { writeManifests } from './operator-manifests.ts';

const program = fileURLToPath(new URL('../rules', import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

/** Checks rules with Prometheus' own code. */
async function check(groups: unknown): Promise<{ code: number | null; output: string }> {
  const child = spawn('go', ['run', '.'], { cwd: program, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(groups));
  const [output, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, output };
}

describe('the alerts of an operator, checked as promtool does', () => {
  let folder: string;
  let alerts: RuleGroups;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-rules-'));
    const read = await writeManifests(folder);
    alerts = (load(await read('alerts/alerts.yaml')) as { readonly spec: RuleGroups }).spec;
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('are rules of Prometheus', async () => {
    const count = alerts.groups.flatMap(({ rules }) => rules).length;
    expect(count).toBeGreaterThan(10);
    expect(await check(alerts)).toEqual({ code: 0, output: `${count} rules\n` });
  });

  test.each([
    ['an expression that ends early', { expr: 'sum(up' }, 'could not parse expression'],
    ['a template that does not end', { annotations: { summary: '{{ $labels.a ' } }, 'unclosed'],
    ['a field of no rule', { runbook: 'a' }, 'field runbook not found'],
  ])('would be refused with %s', async (_what, change, problem) => {
    const [group] = alerts.groups;
    const [rule] = group?.rules ?? [];
    const groups = [{ ...group, rules: [{ ...rule, ...change }] }];
    const { code, output } = await check({ groups });
    expect([code, output]).toEqual([1, expect.stringContaining(problem)]);
  });
});
