/** The packages whose user functions are listed. */
export const packages = [
  'workqueue',
  'client',
  'informer',
  'intent',
  'manager',
  'webhook',
  'schema',
  'envtest',
  'apiserver',
] as const;

/** A declaration at the start of a line. */
const declared = /^(?:declare )?(?:abstract )?(?:interface|class|type|function|const) (\w+)/;
/** A member of a declaration, or of an object type within it. */
const member = /^\s+(?:(?:readonly|abstract|static|get|private) )*(\[?\w+\]?)\??[(:<]/;
/** A function type, and an optional method, which only an implementation of a user leaves out. */
const isFunction = /=>|^\s+\w+\?\(/;

/** Interfaces that users implement: each of their methods is a function of a user. */
export const implementedByUsers: readonly string[] = [
  'IntentPlace',
  'ListerWatcher',
  'Logger',
  'NamedTransform',
  'RateLimiter',
  'Runnable',
  'WriteGuard',
  'WriteObserver',
];
const isMethod = /^\s+\w+\??\(/;

/**
 * The functions that the signatures of a package mention, as `Type.member`, or `Type` for a function type. Functions that
 * Keelson supplies are among them: the text does not name the implementer of a type.
 */
export function functionsIn(signatures: string): string[] {
  const found = new Set<string>();
  let declaration = '';
  for (const line of signatures.split('\n')) {
    declaration = declared.exec(line)?.[1] ?? declaration;
    const isUsers = implementedByUsers.includes(declaration) && isMethod.test(line);
    if (!isUsers && !isFunction.test(line)) continue;
    const name = member.exec(line)?.[1];
    found.add(name === undefined ? declaration : `${declaration}.${name}`);
  }
  return [...found];
}

/**
 * A listed function: the package and the name, and the test that walks its faults, or the reason for which no fault can
 * occur.
 */
export interface ListedFunction {
  readonly id: string;
  readonly walkedBy: string | undefined;
}

/** Reads a list: sections that begin with the path of a test or with `-` and a reason, then one function per line. */
export function readList(text: string): ListedFunction[] {
  const listed: ListedFunction[] = [];
  let walkedBy: string | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('# ') || line === '') continue;
    if (line.startsWith('  ')) listed.push({ id: line.trim(), walkedBy });
    else walkedBy = line.startsWith('- ') ? undefined : line;
  }
  return listed;
}
