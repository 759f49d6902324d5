import { Player, type StepResponse } from '../player.ts';
import type { ServerUnderTest } from '../server-under-test.ts';
import type { Step } from '../step.ts';
import type { SessionStage } from './compare-session.ts';

/** The first request of a session; its resourceVersion is the start of later watches. */
const opening: Step = {
  name: 'begin',
  request: 'GET /api/v1/namespaces/${ns}',
  save: { start: 'metadata.resourceVersion' },
};

/** Plays sessions on kube-apiserver and `@keelson/apiserver` at the same time. */
export class SessionPlayer {
  readonly #real: Player;
  readonly #ours: Player;
  #plays = 0;

  constructor(real: ServerUnderTest, ours: ServerUnderTest) {
    this.#real = new Player(real);
    this.#ours = new Player(ours);
  }

  /** Returns the plays of one session. The responses of every play contain the namespace `talk-NAME`. */
  stageOf(name: string, steps: readonly Step[]): SessionStage {
    const play = async (player: Player, run: string): Promise<readonly StepResponse[]> => {
      const responses = await player.play({ name: run, steps: [opening, ...steps] });
      return renamed(responses, run, name);
    };
    return {
      playBoth: async () => {
        const run = this.#nextRun(name);
        const [real, ours] = await Promise.all([play(this.#real, run), play(this.#ours, run)]);
        return { real, ours };
      },
      playReal: () => play(this.#real, this.#nextRun(name)),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#real.close(), this.#ours.close()]);
  }

  /** The namespace of a run must not exist on either server. */
  #nextRun(name: string): string {
    this.#plays += 1;
    return `${name}-run${this.#plays}`;
  }
}

/** Replaces the namespace of a run in its responses, so that two runs can be compared. */
function renamed(
  responses: readonly StepResponse[],
  run: string,
  name: string,
): readonly StepResponse[] {
  const text = JSON.stringify(responses).replaceAll(`talk-${run}`, `talk-${name}`);
  return JSON.parse(text) as StepResponse[];
}
