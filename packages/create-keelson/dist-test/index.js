// packages/create-keelson/src/errors.ts
var createErrors = {
  CHOICE_INVALID: 'the choice is invalid',
  CHOICES_MISSING: 'choices are missing, and there is no terminal for questions',
  CANCELLED: 'the questions were cancelled; no file was written',
  FOLDER_NOT_EMPTY: 'the folder is not empty',
  RECORD_INVALID: 'the record of the template is missing or invalid',
  WRITE_FAILED: 'the project could not be read or written',
};
var CreateError = class extends Error {
  name = 'CreateError';
  code;
  facts;
  constructor(code, facts = {}, options = {}) {
    const parts = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
    const message = createErrors[code];
    super(parts.length === 0 ? message : `${message} (${parts.join(', ')})`, options);
    this.code = code;
    this.facts = facts;
  }
};

// packages/create-keelson/src/template/template-names.ts
import { basename } from 'node:path';

// packages/create-keelson/src/template/template.ts
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
var layers = {
  plain: ['shared', 'plain'],
  webhook: ['shared', 'plain', 'webhook'],
  external: ['shared', 'external'],
  dynamic: ['shared', 'dynamic'],
};
var folder = fileURLToPath(
  new URL('templates/', import.meta.resolve('create-keelson/package.json')),
);
function readTemplate(variant) {
  const files = /* @__PURE__ */ new Map();
  for (const layer of layers[variant]) {
    for (const [path, text] of filesOf(join(folder, layer))) {
      const whole = path.replace('.part.', '.');
      files.set(whole, path === whole ? text : extended(whole, files.get(whole) ?? '', text));
    }
  }
  return files;
}
function extended(path, whole, part) {
  if (path !== 'package.json')
    return `${whole}
${part}`;
  const manifest = JSON.parse(whole);
  const { keelson } = JSON.parse(part);
  const result = { ...manifest, keelson: { ...manifest.keelson, ...keelson } };
  return `${JSON.stringify(result, null, 2)}
`;
}
function filesOf(layer) {
  return readdirSync(layer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = file.slice(layer.length + 1).replaceAll(sep, '/');
      return [path === 'gitignore' ? '.gitignore' : path, readFileSync(file, 'utf8')];
    });
}

// packages/create-keelson/src/template/variant.ts
var variants = {
  plain: 'an object of your kind owns other objects, such as a ConfigMap',
  webhook: 'plain, and a webhook validates your objects',
  external: 'an object represents something outside the cluster, with a finalizer',
  dynamic: 'your objects decide at run time which kinds are watched',
};
function isVariant(name) {
  return Object.hasOwn(variants, name);
}

// packages/create-keelson/src/template/template-names.ts
function templateNames() {
  const files = Object.keys(variants).flatMap((variant) => [...readTemplate(variant)]);
  const sources = files.filter(([path]) => path.endsWith('.ts'));
  const manifest = JSON.parse(readTemplate('plain').get('package.json') ?? '{}');
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return {
    identifiers: new Set(sources.flatMap(([, text]) => capitalized(text))),
    modules: new Set(
      sources.map(([path]) => basename(path, '.ts')).filter((name) => name !== 'website'),
    ),
    packages: new Set(packages.filter((name) => !name.startsWith('@'))),
  };
}
function capitalized(text) {
  return (text.match(/\b[A-Z]\w*/g) ?? []).filter((word) => word !== 'Website');
}

// packages/create-keelson/src/choices/check-choices.ts
var yamlWords = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
var dnsLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
var MAX_SUBDOMAIN_LENGTH = 253;
var namespacePaths = /* @__PURE__ */ new Set(['finalize', 'namespaces', 'status']);
var problemOf = {
  name: nameProblem,
  group: groupProblem,
  kind: kindProblem,
  plural: pluralProblem,
  variant: (value) =>
    isVariant(value) ? void 0 : `must be one of ${Object.keys(variants).join(', ')}`,
};
function checkChoices(choices) {
  for (const choice of ['name', 'group', 'kind', 'plural', 'variant']) {
    checkChoice(choice, choices[choice]);
  }
  const { group, plural } = choices;
  if (`${plural}.${group}`.length <= MAX_SUBDOMAIN_LENGTH) return;
  const reason = `must have at most ${MAX_SUBDOMAIN_LENGTH} characters with the plural`;
  throw new CreateError('CHOICE_INVALID', { choice: 'group', value: group, reason });
}
function checkChoice(choice, value) {
  const reason = typeof value === 'string' ? problemOf[choice](value) : 'must be a string';
  if (reason !== void 0) throw new CreateError('CHOICE_INVALID', { choice, value, reason });
}
function nameProblem(name) {
  if (!dnsLabel.test(name) || !/^[a-z]/.test(name)) {
    return 'must be a DNS label that begins with a letter: a-z, 0-9 and -, at most 63';
  }
  if (name.startsWith('kube-')) return 'must not begin with kube-, which Kubernetes reserves';
  if (templateNames().packages.has(name)) return 'is the name of a package that the project uses';
  return yamlProblem(name);
}
function groupProblem(group) {
  if (!isSubdomain(group) || !group.includes('.')) {
    return 'must be a DNS name with a dot, such as shop.example';
  }
  if (!Number.isNaN(Number(group))) return 'must not be a number';
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)
    ? 'must not end in k8s.io or kubernetes.io, which Kubernetes reserves'
    : void 0;
}
function kindProblem(kind) {
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) {
    return 'must be in UpperCamelCase: A-Z, a-z and 0-9, at most 63';
  }
  if (templateNames().identifiers.has(kind) || Object.hasOwn(globalThis, kind)) {
    return 'is a name that TypeScript or the code of the project uses';
  }
  return templateNames().modules.has(kind.toLowerCase())
    ? 'is the name of a file of the project'
    : yamlProblem(kind);
}
function pluralProblem(plural) {
  if (!dnsLabel.test(plural) || !/^[a-z]/.test(plural)) {
    return 'must be a DNS label that begins with a letter: a-z, 0-9 and -, at most 63';
  }
  return namespacePaths.has(plural) ? 'is a path of Namespaces' : yamlProblem(plural);
}
function isSubdomain(name) {
  return (
    name.length <= MAX_SUBDOMAIN_LENGTH && name.split('.').every((label) => dnsLabel.test(label))
  );
}
function yamlProblem(value) {
  return yamlWords.test(value) ? 'is a word with another meaning in YAML' : void 0;
}

// packages/create-keelson/src/template/render.ts
var templateName = /\b(?:website-operator|shop\.example|websites?|Website)(?=\b|List\b)/g;
function render(template, names, version) {
  const values = {
    'website-operator': names.name,
    'shop.example': names.group,
    websites: names.plural,
    website: names.kind.toLowerCase(),
    Website: names.kind,
  };
  const replaced = (text) => text.replace(templateName, (word) => values[word] ?? word);
  return new Map(
    [...template].map(([path, text]) => [replaced(path), finished(path, replaced(text), version)]),
  );
}
function finished(path, text, version) {
  if (path === 'package.json') return withVersions(text, version);
  return path === 'config/role.yaml' ? withSortedRules(text) : text;
}
function withVersions(manifest, version) {
  return manifest.replace(/^(\s*"@keelson\/[a-z-]+": )"[^"]*"/gm, `$1"^${version}"`);
}
function withSortedRules(roles) {
  return roles
    .split(/^(?=---\n)/m)
    .map((role) => {
      const [head = '', ...rules] = role.split(/^(?= {2}- apiGroups:)/m);
      return head + rules.toSorted((one, other) => compare(groupOf(one), groupOf(other))).join('');
    })
    .join('');
}
function groupOf(rule) {
  return /^ +- '?([^'\n]*)/m.exec(rule.slice(rule.indexOf('\n') + 1))?.[1] ?? '';
}
function compare(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

// packages/create-keelson/src/project/own-version.ts
import { readFileSync as readFileSync2 } from 'node:fs';
function ownVersion() {
  const manifest = new URL(import.meta.resolve('create-keelson/package.json'));
  return JSON.parse(readFileSync2(manifest, 'utf8')).version;
}

// packages/create-keelson/src/project/record.ts
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join as join2 } from 'node:path';
var RECORD_FILE = '.create-keelson.json';
function recordOf(choices, files, version) {
  const owned = [...files].filter(([path]) => isOwned(path));
  const hashes = owned.map(([path, text]) => [path, hashOf(text)]);
  const { name, group, kind, plural, variant } = choices;
  return {
    version,
    choices: { name, group, kind, plural, variant },
    files: Object.fromEntries(hashes),
  };
}
function isOwned(path) {
  if (path === 'src/main.ts') return true;
  return !/^(?:src|config)\/|^(?:README\.md|package\.json|\.create-keelson\.json)$/.test(path);
}
function printRecord(record) {
  return `${JSON.stringify(record, null, 2)}
`;
}
function hashOf(text) {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
async function readRecord(folder2) {
  const file = join2(folder2, RECORD_FILE);
  try {
    const record = JSON.parse(await readFile(file, 'utf8'));
    checkChoices(record.choices);
    if (Object.entries(record.files).every(isFile)) return record;
    throw new TypeError('files must have paths in the project and hashes');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CreateError('RECORD_INVALID', { file, reason }, { cause });
  }
}
function isFile([path, hash]) {
  return typeof hash === 'string' && !path.split(/[\\/]/).includes('..') && !isAbsolute(path);
}

// packages/create-keelson/src/project/write-project.ts
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join as join3 } from 'node:path';

// packages/create-keelson/src/choices/check-folder.ts
import { readdirSync as readdirSync2 } from 'node:fs';

// packages/create-keelson/src/write-failed.ts
function writeFailed(folder2, cause) {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CreateError('WRITE_FAILED', { folder: folder2, reason }, { cause });
}

// packages/create-keelson/src/choices/check-folder.ts
function checkFolder(folder2) {
  const present = filesIn(folder2).filter((name) => name !== '.git');
  if (present.length === 0) return;
  throw new CreateError('FOLDER_NOT_EMPTY', {
    folder: folder2,
    found: present.slice(0, 3).join(' '),
  });
}
function filesIn(folder2) {
  try {
    return readdirSync2(folder2);
  } catch (cause) {
    if (cause.code === 'ENOENT') return [];
    throw writeFailed(folder2, cause);
  }
}

// packages/create-keelson/src/project/write-project.ts
async function writeProject(folder2, files) {
  checkFolder(folder2);
  const created = [];
  try {
    for (const [path, text] of files) {
      const file = join3(folder2, path);
      const made = await mkdir(dirname(file), { recursive: true });
      if (made !== void 0) created.push(made);
      await writeFile(file, text, { flag: 'wx' });
      created.push(file);
    }
  } catch (cause) {
    await Promise.all(created.map((path) => rm(path, { recursive: true, force: true })));
    throw writeFailed(folder2, cause);
  }
}

// packages/create-keelson/src/project/create-project.ts
async function createProject(choices, folder2) {
  checkChoices(choices);
  const files = projectFiles(choices);
  await writeProject(folder2, files);
  return { folder: folder2, files: [...files.keys()].toSorted() };
}
function projectFiles(choices) {
  const version = ownVersion();
  const files = render(readTemplate(choices.variant), choices, version);
  const record = printRecord(recordOf(choices, files, version));
  return new Map([...files, [RECORD_FILE, record]]);
}

// packages/create-keelson/src/update/update-project.ts
import { createTwoFilesPatch } from 'diff';
import {
  mkdir as mkdir2,
  readFile as readFile2,
  rm as rm2,
  writeFile as writeFile2,
} from 'node:fs/promises';
import { dirname as dirname2, join as join4 } from 'node:path';

// packages/create-keelson/src/update/update-manifest.ts
var members = ['dependencies', 'devDependencies'];
function updatedManifest(present, template) {
  const manifest = parsed(present);
  const wanted = parsed(template);
  const before = JSON.stringify(manifest);
  for (const member of members) {
    for (const [name, version] of Object.entries(wanted[member] ?? {})) {
      if (!name.startsWith('@keelson/')) continue;
      const place = members.find((one) => manifest[one]?.[name] !== void 0) ?? member;
      manifest[place] = { ...manifest[place], [name]: version };
    }
  }
  if (JSON.stringify(manifest) === before) return present;
  const indent = /^[ \t]+/m.exec(present)?.[0] ?? '  ';
  return `${JSON.stringify(manifest, null, indent)}
`;
}
function parsed(text) {
  const manifest = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (!isObject(manifest)) throw new Error('must be an object');
  for (const member of members) {
    const value = manifest[member] ?? {};
    if (!isObject(value)) throw new Error(`${member} must be an object`);
  }
  return manifest;
}
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// packages/create-keelson/src/update/update-project.ts
async function updateProject(folder2) {
  const record = await readRecord(folder2);
  const version = ownVersion();
  const template = render(readTemplate(record.choices.variant), record.choices, version);
  const changes = [];
  const diffs = [];
  for (const path of pathsOf(template, record)) {
    const step = await stepOf(folder2, path, { template, record });
    if (step === void 0) continue;
    if (typeof step === 'string') diffs.push(step);
    else changes.push(step);
  }
  changes.push(...(await manifestChange(folder2, template)));
  const next = printRecord(recordOf(record.choices, template, version));
  if (next !== (await textOf(folder2, RECORD_FILE)))
    changes.push({ path: RECORD_FILE, text: next });
  for (const change of changes) await apply(folder2, change);
  const isRemoval = ({ text }) => text === void 0;
  return {
    from: record.version,
    to: version,
    written: changes.filter((change) => !isRemoval(change)).map(({ path }) => path),
    removed: changes.filter(isRemoval).map(({ path }) => path),
    diffs,
  };
}
function pathsOf(template, record) {
  const paths = /* @__PURE__ */ new Set([
    ...[...template.keys()].filter(isOwned),
    ...Object.keys(record.files),
  ]);
  return [...paths].toSorted();
}
async function stepOf(folder2, path, { template, record }) {
  const present = await textOf(folder2, path);
  const next = template.get(path);
  const recorded = record.files[path];
  const isChangedInTemplate = recorded !== (next === void 0 ? void 0 : hashOf(next));
  if (!isChangedInTemplate || present === next) return void 0;
  const isUntouched = present === void 0 ? recorded === void 0 : hashOf(present) === recorded;
  if (isUntouched) return next === void 0 ? { path } : { path, text: next };
  if (present === void 0 && next === void 0) return void 0;
  return createTwoFilesPatch(path, path, present ?? '', next ?? '', 'yours', 'template');
}
async function manifestChange(folder2, template) {
  const path = 'package.json';
  const present = await textOf(folder2, path);
  if (present === void 0) return [];
  const text = manifestOf(folder2, present, template.get(path) ?? '{}');
  return text === present ? [] : [{ path, text }];
}
function manifestOf(folder2, present, template) {
  try {
    return updatedManifest(present, template);
  } catch (cause) {
    throw writeFailed(folder2, new Error(`package.json ${String(cause)}`, { cause }));
  }
}
async function textOf(folder2, path) {
  try {
    return await readFile2(join4(folder2, path), 'utf8');
  } catch (cause) {
    if (cause.code === 'ENOENT') return void 0;
    throw writeFailed(folder2, cause);
  }
}
async function apply(folder2, { path, text }) {
  const file = join4(folder2, path);
  try {
    if (text === void 0) return await rm2(file);
    await mkdir2(dirname2(file), { recursive: true });
    await writeFile2(file, text);
  } catch (cause) {
    throw writeFailed(folder2, cause);
  }
}
export { CreateError, createProject, updateProject };
//# sourceMappingURL=index.js.map
