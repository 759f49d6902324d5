import { replaceQuotedObjects } from './quoted-objects.ts';
import { withSortedCauses } from './sorted-causes.ts';

/**
 * Replaces the parts of a response that differ from run to run by placeholders: uids, versions, times, tokens,
 * generated names and addresses. Equal values get the same placeholder, so that a reference must still name the
 * right object. Placeholders are numbered within the step that first contains them, so that a difference in one
 * step does not renumber later steps. An object that a message quotes is compared as a value.
 */
export class NormalForm {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #step = '';

  of(value: unknown, step = ''): unknown {
    this.#step = step;
    return this.#walk(value, '');
  }

  #walk(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#text(value, key);
    if (Array.isArray(value)) return this.#list(value, key);
    if (typeof value === 'number' && allocatedPorts.has(key)) return '<port>';
    if (typeof value !== 'object' || value === null) return value;
    // Sorted before the walk, because the order of the walk determines the numbers of the placeholders.
    const entries = Object.entries(value)
      .toSorted(byName)
      .map(([name, inner]) => [this.#text(name, ''), this.#walk(inner, name)] as const);
    return withSortedCauses(Object.fromEntries(entries.toSorted(byName)));
  }

  #list(list: readonly unknown[], key: string): unknown[] {
    const items = list.map((item) => this.#walk(item, key));
    if (!(withoutOrder.has(key) || hasApproval(items))) return items;
    return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  #text(text: string, key: string): string {
    if (key === 'resourceVersion' && /^\d+$/.test(text)) return '<version>';
    if (key === 'cells' && age.test(text)) return '<age>';
    if (key === 'continue' && text !== '') return '<token>';
    if (key === 'token' && jwt.test(text)) return '<token>';
    if (key === 'serverAddress') return '<address>';
    if (key === 'clusterIP' || key === 'clusterIPs') return text === 'None' ? text : '<ip>';
    const settled = text.replaceAll(structDiff, '').replaceAll(typeErrors, sortedLines);
    return replaceQuotedObjects(settled, (object) => this.#walk(object, ''))
      .replaceAll(uid, (found) => this.#placeholder('uid', found))
      .replaceAll(time, '<time>')
      .replaceAll(generated, '$1<random>')
      .replaceAll(version, '$1<version>')
      .replaceAll(hash, '$1<hash>')
      .replaceAll(nodePort, '$1<port>')
      .replaceAll(port, '<address>')
      .replaceAll(serviceIp, '<ip>');
  }

  #placeholder(kind: string, found: string): string {
    let name = this.#names.get(found);
    if (name === undefined) {
      const origin = this.#step === '' ? kind : `${kind} of ${this.#step}`;
      const count = (this.#counts.get(origin) ?? 0) + 1;
      this.#counts.set(origin, count);
      name = `<${origin}-${count}>`;
      this.#names.set(found, name);
    }
    return name;
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Two controllers of kube-apiserver write the conditions of such a definition, in a random order. */
function hasApproval(items: readonly unknown[]): boolean {
  return items.some(
    (item) => (item as { type?: unknown } | null)?.type === 'KubernetesAPIApprovalPolicyConformant',
  );
}

/** A signed token of a service account. */
const jwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Lists that are compared as sets. Servers order the entries of managedFields by times of whole seconds, and the rules
 * of a user by the bindings in a Go map.
 */
const withoutOrder: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceRules',
  'nonResourceRules',
]);

/** Members that contain a port which the server chose at random. */
const allocatedPorts: ReadonlySet<string> = new Set(['nodePort', 'healthCheckNodePort']);

/** A diff of two Go structs, which kube-apiserver adds to the message about a change that is not allowed. */
const structDiff = /(?:\n@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@(?:\n[ +-].*)*)+\n?/g;

/** The lines of several errors about the types of an apply. kube-apiserver walks a Go map for them. */
const typeErrors = /(?<=\berrors:)(?:\n {2}.*)+/g;

function sortedLines(lines: string): string {
  return lines.split('\n').toSorted().join('\n');
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** A name that the server generated for `generateName: some-gen-`. */
const generated = /(-gen-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
/** Versions in messages, such as `too old resource version: 17 (current: 20)`, and in objects quoted there. */
const version =
  /(resource ?[vV]ersion:? |ResourceVersion in object meta: |ResourceVersion in record \(|current: |too old resource version: |resourceVersion\\*":\\*")\d+/g;
/** A table cell with an age: `5m10s`. */
const age = /^(?:\d+[ydhms]){1,2}$/;
/** An address of the range that both servers allocate from: `10.0.0.0/24`. */
const serviceIp = /10\.0\.0\.\d{1,3}/g;
/** The hash of an OpenAPI document, which each server computes over its own text. */
const hash = /(\?hash=)[0-9A-F]{128}/g;
/** The errors for a node port that two ports of a Service have. */
const nodePort = /(duplicate nodePort: \{\w+ |Duplicate value: (?=3\d{4}\b))\d+/g;
const port = /127\.0\.0\.1:\d+/g;
