import { compare, type Agreement } from '../comparison.ts';
import { Player } from '../player.ts';
import type { ServerUnderTest } from '../server-under-test.ts';
import type { Step } from '../step.ts';

/** The first request of a session; its resourceVersion is the start of later watches. */
const opening: Step = {
  name: 'begin',
  request: 'GET /api/v1/namespaces/${ns}',
  save: { start: 'metadata.resourceVersion' },
};

/** Plays sessions on two servers at the same time and compares the responses of each step. */
export class SessionPlayer {
  readonly #players: readonly [Player, Player];

  constructor(real: ServerUnderTest, ours: ServerUnderTest) {
    this.#players = [new Player(real), new Player(ours)];
  }

  /** Plays one session in the namespace `talk-NAME`, which must not exist on either server. */
  async play(name: string, steps: readonly Step[]): Promise<Agreement> {
    const chapter = { name, steps: [opening, ...steps] };
    const [left, right] = await Promise.all(this.#players.map((player) => player.play(chapter)));
    return compare({ [name]: left ?? [] }, { [name]: right ?? [] });
  }

  async close(): Promise<void> {
    await Promise.all(this.#players.map((player) => player.close()));
  }
}
