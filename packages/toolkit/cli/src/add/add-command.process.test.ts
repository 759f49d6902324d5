import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { kindModule } from '../dev/operator-project.test-support.ts';
import { runProgram } from '../program/program.ts';
import { useSourcesInProcesses } from '../project/definitions/source-condition.test-support.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

const packages = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));

const files: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'shop', type: 'module', keelson: { kinds: ['src/website.ts'] } }, null, 4)}\n`,
  'src/website.ts': kindModule(),
  'src/main.ts': `import { createManager } from '@keelson/manager';
const operator = createManager({ servers: { health: 0 } });
await operator.start();
`,
  'src/operator.test.ts': `import { test } from 'node:test';
declare const client: Client;
test('roles', () => environment.checkRoles(user, 'config/role.yaml'));
`,
  'config/role.yaml': `# The permissions.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: shop
rules: []
`,
};

describe('keelson add', () => {
  const { NODE_OPTIONS } = process.env;
  let folder: string;

  beforeAll(useSourcesInProcesses);

  afterAll(() => {
    if (NODE_OPTIONS === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = NODE_OPTIONS;
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-add-'));
    await symlink(packages, join(folder, 'node_modules'), 'junction');
    for (const [path, text] of Object.entries(files)) await write(path, text);
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function write(path: string, text: string): Promise<void> {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

  async function run(
    words: readonly string[],
    confirm?: (question: string) => Promise<boolean>,
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const { terminal, out, err } = recordingTerminal();
    const all = ['add', ...words, '--project', folder];
    const code = await runProgram(all, terminal, '0.0.0', confirm);
    return { code, out: out(), err: err() };
  }

  /** The files of the project that a command has changed. */
  async function changedFiles(): Promise<string[]> {
    const changed: string[] = [];
    for (const [path, text] of Object.entries(files)) {
      if ((await read(path)) !== text) changed.push(path);
    }
    return changed;
  }

  test('shows the difference, and writes it after a confirmation', async () => {
    const questions: string[] = [];
    const { code, out } = await run(['kind', 'Page'], async (question) => {
      questions.push(question);
      return true;
    });
    expect({ code, questions }).toEqual({ code: 0, questions: ['Write these 7 files?'] });
    expect(out).toContain('+      "src/page.ts"'.replace('      ', '            '));
    expect(out).toContain('+addPageController(operator);');
    expect(out).toContain('written config/crd/pages.shop.example.yaml');
    expect(await read('src/main.ts')).toContain('\naddPageController(operator);\nawait operator');
    expect(await read('config/role.yaml')).toMatch(/^# The permissions\.\n/);
  });

  test.each([
    [['kind', 'Page'], undefined, 1, 'ADD_NOT_CONFIRMED: '],
    [['kind', 'Page'], async () => false, 1, 'ADD_NOT_CONFIRMED: '],
    [['kind', 'Page', '--check'], undefined, 1, 'The project lacks these changes'],
    [['kind', 'Page', '--dry-run'], undefined, 0, ''],
  ] as const)('writes nothing for %j without an approval', async (words, confirm, code, error) => {
    const outcome = await run(words, confirm);
    expect(outcome).toMatchObject({ code, err: expect.stringContaining(error) });
    expect(outcome.out).toContain('+++ b/src/page.ts');
    expect(await changedFiles()).toEqual([]);
    await expect(read('src/page.ts')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('explains a second call, and completes a first one', async () => {
    await run(['kind', 'Page', '--no-controller', '--yes']);
    expect((await run(['kind', 'Page', '--no-controller', '--yes'])).out).toBe(
      'The project has the kind Page of shop.example: src/page.ts\n',
    );
    expect((await run(['kind', 'Page', '--yes'])).out).toContain('written src/page-controller.ts');
    const before = await read('src/main.ts');
    expect((await run(['controller', 'Page', '--yes'])).out).toBe(
      'Nothing to add: the project has a controller for Page: src/main.ts\n',
    );
    expect(await read('src/main.ts')).toBe(before);
  });

  test.each([
    ['src/page.ts', 'export const mine = 1;\n', ['kind', 'Page'], 'FILE_EXISTS'],
    ['src/page-controller.ts', 'export const mine = 1;\n', ['kind', 'Page'], 'FILE_EXISTS'],
    ['src/page-policy.test.ts', '', ['policy', 'Website'], 'PLACE_NOT_FOUND'],
    ['src/main.ts', 'await operator.start();', ['kind', 'Page'], 'PLACE_NOT_FOUND'],
    ['src/main.ts', 'const = 1;', ['kind', 'Page'], 'MODULE_UNREADABLE'],
    [
      'src/main.ts',
      'const addPageController = 1;\nconst m = createManager();',
      ['kind', 'Page'],
      'NAME_TAKEN',
    ],
    ['src/operator.test.ts', '', ['kind', 'Page'], 'PLACE_NOT_FOUND'],
    ['src/operator.test.ts', 'checkRoles(user);', ['kind', 'Page'], 'PLACE_NOT_FOUND'],
    ['src/a.test.ts', 'const client = 1;\ncheckRoles(user);', ['kind', 'Page'], 'PLACE_NOT_FOUND'],
    ['config/role.yaml', 'a: [', ['kind', 'Page'], 'ROLE_FILE_INVALID'],
    ['config/crd/pages.shop.example.yaml', 'mine: true\n', ['kind', 'Page'], 'FILE_EXISTS'],
  ])('changes no file if %s has %j', async (path, text, words, code) => {
    await write(path, text);
    const outcome = await run([...words, '--yes']);
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining(`error: ${code}: `) });
    expect((await changedFiles()).filter((one) => one !== path)).toEqual([]);
    expect(await read(path)).toBe(text);
  });

  test.each([
    [['kind', 'page'], 'must be in UpperCamelCase'],
    [['kind', 'Map'], 'is a name that TypeScript or the generated code uses'],
    [['kind', 'Manager'], 'is a name that TypeScript or the generated code uses'],
    [['kind', 'Yes'], 'has another meaning in YAML|another meaning'],
    [['kind', 'Page', '--group', 'shop'], 'must be a DNS name with a dot'],
    [['kind', 'Page', '--group', 'apps.k8s.io'], 'which Kubernetes reserves'],
    [['kind', 'Page', '--plural', 'Pages'], 'must be a DNS label'],
    [['kind', 'Page', '--plural', 'status'], 'is a path of Namespaces'],
    [['kind', 'Page', '--plural', 'websites'], 'is the plural of Website'],
    [['kind', 'Website', '--group', 'other.example'], 'is a kind of shop.example'],
    [['kind', 'Page', '--api-version', '1'], 'must be a version of Kubernetes'],
  ])('refuses the names of %j', async (words, reason) => {
    const { code, err } = await run([...words, '--yes']);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`^error: NAME_INVALID: .*(?:${reason})`));
  });

  test('asks for the group of the first kind', async () => {
    const manifest = { name: 'shop', type: 'module', keelson: { kinds: [] } };
    await write('package.json', JSON.stringify(manifest));
    const { code, err } = await run(['kind', 'Page', '--yes']);
    expect(code).toBe(1);
    expect(err).toMatch(/^error: NAME_INVALID: .*option=group.*pass --group/);
  });

  test('adds a dashboard, which the manifests contain with the changes of a person', async () => {
    const keelson = async (...words: readonly string[]): Promise<void> => {
      const { terminal } = recordingTerminal();
      expect(await runProgram([...words, '--project', folder], terminal, '0.0.0')).toBe(0);
    };
    await keelson('crd', 'generate');
    await keelson('manifests');
    const { code, out } = await run(['dashboard', 'Website', '--controller', 'site', '--yes']);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('written kustomize/components/dashboards'),
    });
    const path = 'config/dashboards/websites.json';
    const dashboard = JSON.parse(await read(path)) as object;
    expect(dashboard).toMatchObject({ title: 'shop / Website', uid: 'shop-websites' });
    expect(await read(path)).toContain(String.raw`controller=\"site\"`);
    const changed = JSON.stringify({ ...dashboard, title: 'Mine' });
    await write(path, changed);
    expect((await run(['dashboard', 'Website', '--yes'])).out).toBe(
      `Nothing to add: the project has the dashboard ${path}\n`,
    );
    await keelson('manifests');
    const component = await read('deploy/kustomize/components/dashboards/dashboards.yaml');
    expect(component).toContain('name: shop-dashboard-websites\n');
    expect(component).toContain(changed);
    expect(await changedFiles()).toEqual([]);
  });

  test('needs a kind of the project for a controller, a webhook, a policy and a dashboard', async () => {
    for (const word of ['controller', 'webhook', 'policy', 'dashboard']) {
      const { code, err } = await run([word, 'Page', '--yes']);
      expect(code).toBe(1);
      expect(err).toContain('KIND_NOT_FOUND');
      expect(err).toContain('Website.shop.example');
    }
  });

  test.each([
    [['kind']],
    [['controller', 'Page', '--spec', '[1]']],
    [['webhook', 'Page', '--unknown']],
    [['dashboard', 'Page', '--controller', 'a"b']],
  ])('exits with 2 for the command line %j', async (words) => {
    expect((await run(words)).code).toBe(2);
  });
});
