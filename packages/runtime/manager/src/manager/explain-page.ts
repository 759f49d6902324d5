import { hasCode } from '@keelson/apimachinery';
import { errorLine } from '../explain/error-line.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { PlainResponse } from '../servers/http-server.ts';

/** The controllers of a manager, as the page explains them. */
export interface ExplainedControllers {
  explain(): readonly ControllerExplanation[];
  /** Throws `UNKNOWN_CONTROLLER`. */
  explainRequest(controller: string, key: string): Explanation;
}

const PATH = '/debug/explain';
const NO_REQUEST: PlainResponse = {
  status: 400,
  body: 'give controller and request, such as ?controller=web-app&request=shop/web\n',
};

/**
 * The page of the debug server that explains the controllers, and with `?controller=NAME&request=KEY` a request. It
 * sends JSON, and text with `&format=text`.
 */
export class ExplainPage {
  readonly #controllers: ExplainedControllers;

  constructor(controllers: ExplainedControllers) {
    this.#controllers = controllers;
  }

  /** The response to the path of the page; `undefined` for every other path. */
  respond({ pathname, searchParams }: URL): PlainResponse | undefined {
    if (pathname !== PATH) return undefined;
    const controller = searchParams.get('controller');
    const request = searchParams.get('request');
    const isText = searchParams.get('format') === 'text';
    if (controller === null && request === null) return pageOf(this.#controllers.explain(), isText);
    if (controller === null || request === null || request === '') return NO_REQUEST;
    try {
      return pageOf(this.#controllers.explainRequest(controller, request), isText);
    } catch (error) {
      const status = hasCode(error, 'UNKNOWN_CONTROLLER') ? 404 : 400;
      return { status, body: errorLine(error) };
    }
  }
}

function pageOf(
  explained: Explanation | readonly ControllerExplanation[],
  isText: boolean,
): PlainResponse {
  if (!isText) {
    return { status: 200, type: 'application/json', body: `${JSON.stringify(explained)}\n` };
  }
  const all = 'text' in explained ? [explained] : explained;
  return { status: 200, body: `${all.map(({ text }) => text).join('\n\n')}\n` };
}
