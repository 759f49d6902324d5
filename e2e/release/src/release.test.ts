import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { release, type ReleaseOptions } from './release.ts';
import { SampleRepository } from './sample-repository.test-support.ts';
import { ScriptedShell } from './scripted-shell.test-support.ts';

const files = [
  'examples/one/package.json',
  'package-lock.json',
  'packages/app/package.json',
  'packages/base/package.json',
];

let repository: SampleRepository;
let shell: ScriptedShell;
let lines: string[];

beforeEach(() => {
  repository = new SampleRepository();
  shell = new ScriptedShell(repository.root);
  lines = [];
});

afterEach(() => repository[Symbol.dispose]());

function start(until: ReleaseOptions['until'] = 'publish', version = '0.2.0'): Promise<void> {
  const print = (line: string): unknown => lines.push(line);
  return release({ root: repository.root, version, until, shell, print });
}

function contents(): string[] {
  return files.map((path) => repository.read(path));
}

/** The publications, without those of a dry run. */
function published(): string[] {
  return shell.commandsOf('npm publish').filter((command) => !command.includes('--dry-run'));
}

describe('release', () => {
  test('sets the version everywhere, commits, tags, and publishes dependencies first', async () => {
    await start();
    expect(JSON.parse(repository.read('packages/app/package.json'))).toMatchObject({
      version: '0.2.0',
      dependencies: { '@sample/base': '0.2.0', other: '0.1.0' },
    });
    expect(JSON.parse(repository.read('examples/one/package.json'))).toMatchObject({
      version: '0.1.0',
      dependencies: { '@sample/app': '0.2.0', '@sample/base': '*' },
    });
    expect(JSON.parse(repository.read('package-lock.json'))).toMatchObject({
      packages: {
        'packages/app': { version: '0.2.0', dependencies: { '@sample/base': '0.2.0' } },
        'packages/base': { version: '0.2.0', devDependencies: { other: '1.0.0' } },
      },
    });
    expect(shell.commandsOf('git add')[0]?.split(' -- ')[1]?.split(' ').toSorted()).toEqual(files);
    expect(shell.commandsOf('git commit')).toEqual(['git commit --message release: 0.2.0']);
    expect([...shell.tags]).toEqual([['v0.2.0', 'commit-1']]);
    expect(published()).toEqual([
      'npm publish sample-base-0.2.0.tgz --tag latest',
      'npm publish sample-app-0.2.0.tgz --tag latest',
    ]);
  });

  test('builds, checks and packs before it commits', async () => {
    await start();
    const steps = [
      'npm run build',
      'npm run check:packages',
      'npm pack',
      'npm publish',
      'git commit',
    ];
    const positions = steps.map((step) =>
      shell.commands.findIndex((each) => each.startsWith(step)),
    );
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  test('in a dry run leaves all files as they were, and neither commits, tags nor publishes', async () => {
    const before = contents();
    await start('dry-run');
    expect(contents()).toEqual(before);
    expect(shell.commandsOf('npm publish')).toEqual([
      'npm publish sample-base-0.2.0.tgz --tag latest --dry-run',
      'npm publish sample-app-0.2.0.tgz --tag latest --dry-run',
    ]);
    expect([...shell.commandsOf('git add'), ...shell.commandsOf('git commit')]).toEqual([]);
    expect(shell.tags.size).toBe(0);
    expect(lines).toEqual([
      'npm run build',
      'npm run check:packages',
      'name          version  files  size   state',
      '@sample/base  0.2.0    7      13 kB  to publish',
      '@sample/app   0.2.0    7      13 kB  to publish',
      'dry run: nothing was changed',
    ]);
  });

  test('prepares a commit and a tag, and the same version is then published from them', async () => {
    await start('prepare');
    expect(published()).toEqual([]);
    await start();
    expect(shell.commandsOf('git commit')).toHaveLength(1);
    expect(shell.commandsOf('git tag --annotate')).toHaveLength(1);
    expect(published()).toHaveLength(2);
  });

  test('continues after a failed publication, and skips what the registry has', async () => {
    shell.failing = /sample-app.*latest$/;
    await expect(start()).rejects.toThrow(/^command failed \(command=npm publish .*sample-app/);
    shell.failing = undefined;
    await start();
    expect(shell.commandsOf('git commit')).toHaveLength(1);
    expect(shell.commandsOf('git tag --annotate')).toHaveLength(1);
    expect(shell.registry).toEqual(new Set(['@sample/base@0.2.0', '@sample/app@0.2.0']));
    expect(lines.slice(-2)).toEqual([
      'skipped @sample/base@0.2.0: the registry has it',
      'published @sample/app@0.2.0',
    ]);
  });

  test('reverts the files if a step before the commit fails', async () => {
    const before = contents();
    for (const step of ['npm run build', 'npm run check:packages', 'npm pack']) {
      shell.failing = new RegExp(`^${step}`);
      await expect(start()).rejects.toThrow(`command failed (command=${step}`);
    }
    expect(contents()).toEqual(before);
    expect(shell.tags.size).toBe(0);
  });

  test('rejects if the registry cannot be asked, instead of publishing', async () => {
    shell.failing = /^npm view/;
    await expect(start()).rejects.toThrow('command failed (command=npm view');
    expect(shell.commandsOf('npm publish')).toEqual([]);
  });

  test('gives a prerelease the tag next', async () => {
    repository.write('CHANGELOG.md', '## [0.3.0-beta.1]\n');
    await start('publish', '0.3.0-beta.1');
    expect(published()[0]).toBe('npm publish sample-base-0.3.0-beta.1.tgz --tag next');
  });

  test('refuses an invalid version, a changed work tree, a missing section and a tag elsewhere', async () => {
    await expect(start('publish', 'v0.2')).rejects.toThrow('the version is invalid (version=v0.2');
    await expect(start('publish', '0.9.0')).rejects.toThrow('(section=## 0.9.0)');
    shell.changes = ' M README.md\n';
    await expect(start()).rejects.toThrow(
      'the work tree has changes, commit them first\n M README.md',
    );
    shell.changes = '';
    shell.tags.set('v0.2.0', 'another');
    await expect(start()).rejects.toThrow('(tag=v0.2.0, commit=another, head=commit-0)');
    expect(shell.commandsOf('npm')).toEqual([]);
  });

  test('refuses packages that depend on each other', async () => {
    const dependencies = { '@sample/app': '0.1.0' };
    repository.writeJson('packages/base/package.json', { name: '@sample/base', dependencies });
    await expect(start()).rejects.toThrow(
      'packages depend on each other (packages=@sample/app, @sample/base)',
    );
  });
});
