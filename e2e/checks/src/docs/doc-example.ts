/** An `@example` of a doc comment. */
export interface DocExample {
  /** The exported name that it belongs to. */
  readonly name: string;
  readonly code: string;
}

const documented = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export (?:async )?[a-z]+\*? (\w+)/g;
const block = /@example\n```ts\n([^]*?)\n```/g;

/** Finds the examples in the doc comments of a module. Each is a module of its own, with its imports. */
export function docExamples(module: string): DocExample[] {
  return [...module.matchAll(documented)].flatMap(([, comment = '', name = '']) => {
    const text = comment.replaceAll(/^\s*\* ?/gm, '');
    return [...text.matchAll(block)].map(([, code = '']) => ({ name, code }));
  });
}
