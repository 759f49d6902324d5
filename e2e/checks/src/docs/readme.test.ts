import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { codeBlocks } from './code-block.ts';
import { pages } from './pages.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The suites of runtimes and compilers. */
const runtimes = 'e2e/runtimes/src';

describe('the documentation', () => {
  test('names one minimum version of Node.js, the one of every package.json', () => {
    const manifests = globSync(['package.json', '{packages,examples,e2e}/*/package.json'], {
      cwd: root,
    });
    const engines = manifests.flatMap((path) => {
      const { engines: named } = JSON.parse(read(path)) as { engines?: { node?: string } };
      return named?.node ?? [];
    });
    expect(engines.length).toBeGreaterThan(10);
    expect(new Set(engines)).toEqual(new Set(['>=22.19']));
    const named = pages(root).flatMap((page) =>
      [...read(page).matchAll(/Node(?:\.js)? ?(?:≥|>=) ?([\d.]+\d)/g)].map(
        ([, version]) => version,
      ),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(new Set(named)).toEqual(new Set(['22.19']));
  });

  test('names the versions that the suites use, on the first screen of README and in docs/compatibility.md', () => {
    const [, kubernetes = ''] =
      /k8s\.io\/kubernetes v(\d+\.\d+)/.exec(read('e2e/control-plane/go.mod')) ?? [];
    const [, deno = ''] = /deno@(\d+\.\d+)/.exec(read(`${runtimes}/other-runtimes.e2e.ts`)) ?? [];
    const [, node = ''] =
      /OLDEST_NODE = .*@(\d+\.\d+)/.exec(read(`${runtimes}/installed.e2e.ts`)) ?? [];
    const [, list = ''] =
      /const compilers = \[(.*)\]/.exec(read(`${runtimes}/compilers.e2e.ts`)) ?? [];
    const compilers = [...list.matchAll(/'(\d+\.\d+)/g)].map(([, version = '']) => version);
    const readme = read('README.md').split('\n').slice(0, 22).join('\n');
    expect(readme).toContain(`| Kubernetes | tested on kube-apiserver ${kubernetes};`);
    expect(readme).toContain(
      `| Node.js | ${node} or newer, tested on ${node} and ${read('.nvmrc').trim()}; Deno ${deno} or newer |`,
    );
    expect(readme).toContain(`| TypeScript | ${compilers[0]} to ${compilers.at(-1)} |`);
    const page = read('docs/compatibility.md');
    expect(page).toContain(`| ${kubernetes} | the suite`);
    expect(page).toContain(`| Node.js | ${node}, the oldest that is supported, and 24 |`);
    expect(page).toContain(`| Deno | ${deno} |`);
    const last = compilers.at(-1);
    expect(page).toContain(`| TypeScript | ${compilers.slice(0, -1).join(', ')} and ${last} |`);
  });

  test('begins a new operator by npm create keelson: on the first screen of README, and in the first guide', () => {
    const firstScreen = read('README.md').split('\n').slice(0, 45).join('\n');
    expect(firstScreen).toContain('npm create keelson');
    const guide = read('docs/guides/first-operator.md');
    expect(guide.slice(guide.indexOf('```'))).toMatch(/^```sh\nnpm create keelson /);
  });

  test('starts the server in memory with npx and the name of its package', () => {
    const commands = pages(root).flatMap((page) => [
      ...read(page).matchAll(/npx (?:@keelson\/|keelson-)\S+/g),
    ]);
    expect(commands.length).toBeGreaterThan(2);
    const others = commands.map(([command]) => command.replaceAll('`', '').replace(/[:;,.]$/, ''));
    expect(new Set(others)).toEqual(new Set(['npx @keelson/apiserver']));
  });

  test('never awaits a test at the top level, because the second test of the file would start after the cleanup', () => {
    const code = pages(root).flatMap((page) => codeBlocks(read(page)).map((block) => block.code));
    expect(code.filter((text) => /^await (?:test|describe|it)\(/m.test(text))).toEqual([]);
  });
});

describe('README', () => {
  const readme = read('README.md');
  const sources = codeBlocks(readme).flatMap(({ source }) =>
    source === undefined ? [] : [source],
  );

  test('shows every file that its code imports', () => {
    const shown = new Set(sources.map(({ file }) => file));
    const imported = codeBlocks(readme).flatMap(({ code, source }) =>
      [...code.matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) =>
        join(dirname(source?.file ?? ''), to),
      ),
    );
    expect(imported).not.toEqual([]);
    expect(imported.filter((file) => !shown.has(file))).toEqual([]);
  });

  test('imports Keelson from one package', () => {
    const code = sources.map(({ file }) => read(file)).join('\n');
    const packages = [...code.matchAll(/from '(@keelson\/[^']+)'/g)].map(([, name]) => name);
    expect(new Set(packages)).toEqual(new Set(['@keelson/manager']));
  });

  test('names the page of what the server in memory lacks', () => {
    const [, section = ''] = /## What is missing so far\n(.*?)\n## /s.exec(readme) ?? [];
    expect(section).toContain('docs/apiserver-differences.md');
  });
});
