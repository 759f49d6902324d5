import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';

const program = fileURLToPath(new URL('../rules', import.meta.url));
const cli = fileURLToPath(import.meta.resolve('@keelson/cli/package.json'));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleGroups {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'website-operator' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
};

/** Writes the manifests of a project with `keelson manifests`, and returns its alerts. */
async function alertsOf(project: string): Promise<RuleGroups> {
  await mkdir(join(project, 'config'));
  const manifest = { name: 'website-operator', version: '1.0.0', keelson: {} };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(project, 'config/role.yaml'), JSON.stringify(role));
  const bin = join(cli, '../src/program/bin.ts');
  const args = ['--conditions=@keelson/source', bin, 'manifests', '--project', project];
  await promisify(execFile)(process.execPath, args);
  const file = join(project, 'deploy/kustomize/components/alerts/alerts.yaml');
  return (load(await readFile(file, 'utf8')) as { readonly spec: RuleGroups }).spec;
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
    alerts = await alertsOf(folder);
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
