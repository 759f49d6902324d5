import { describe, expect, test } from '@jest/globals';

import { measure } from './class-metrics.ts';

const engine = {
  path: 'packages/runtime/a/src/engine.ts',
  text: `
export class Engine {
  readonly speed = 1;
  #gear: Gear | undefined;
  readonly #parts = new Map<string, Wheel>();
  static make() { return new Engine(); }
  constructor(axle: Axle) { this.#gear = new Gear(axle); }
  get load() { return 1; }
  set load(to) {}
  start() {}
  #turn() {}
}
class Gear {}
class Axle {}
`,
};
const wheel = {
  path: 'packages/runtime/a/src/wheel.ts',
  text: `
import { type Engine, Other as Gear } from './engine.ts';
export class Wheel { roll() {} }
export interface WheelHost {
  readonly stop: () => void;
  readonly then?: ((wheel: Wheel) => void) | undefined;
  observed?(): void;
  readonly size: number;
}
`,
};

describe('the measures of classes', () => {
  const { classes, interfaces } = measure([
    engine,
    wheel,
    {
      path: 'packages/runtime/a/src/engine.test.ts',
      text: 'class Hidden { a() {} b() {} c() {} }',
    },
  ]);

  test('count public members, fields, collaborators and the files that know a class', () => {
    expect(classes[0]).toEqual({
      path: engine.path,
      name: 'Engine',
      publicMembers: 3,
      fields: 3,
      collaborators: ['Gear', 'Wheel', 'Axle'],
      knownBy: 1,
    });
    expect(classes.map(({ name }) => name)).toEqual(['Engine', 'Wheel', 'Gear', 'Axle']);
  });

  test('list the members of interfaces that are functions', () => {
    expect(interfaces).toEqual([
      { path: wheel.path, name: 'WheelHost', callbacks: ['stop', 'then'] },
    ]);
  });
});
