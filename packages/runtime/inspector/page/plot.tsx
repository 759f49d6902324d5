import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import UPlot from 'uplot';
import { numberText, timeText } from './format.ts';
import type { Series } from './store.ts';

interface Line {
  readonly label: string;
  /** The place of its values in the series. */
  readonly index: number;
  /** The name of a colour in the style. */
  readonly color: 'line-1' | 'line-2';
}

interface PlotProps {
  readonly title: string;
  readonly series: Series;
  readonly lines: readonly Line[];
}

const HEIGHT_PX = 140;

/** Plots values over time. Its label has the latest values, for readers without the picture. */
export function Plot({ title, series, lines }: PlotProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const isDark = useIsDark();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const made = new UPlot(optionsOf(lines, element.clientWidth), dataOf(series, lines), element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: HEIGHT_PX });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [isDark]);
  // The lists of a series are the same ones at each message.
  useEffect(() => plot.current?.setData(dataOf(series, lines)));
  const latest = lines.map(({ label, index }) => `${label} ${lastOf(series[index])}`).join(', ');
  return (
    <figure class="plot">
      <figcaption>
        {title}
        {lines.map(({ label, index, color }) => (
          <span key={label} class={`key ${color}`}>
            {label} <b>{lastOf(series[index])}</b>
          </span>
        ))}
      </figcaption>
      <div ref={place} role="img" aria-label={`${title}: ${latest}`} />
    </figure>
  );
}

function lastOf(values: readonly number[] = []): string {
  return numberText(values.at(-1) ?? 0);
}

function dataOf(series: Series, lines: readonly Line[]): UPlot.AlignedData {
  const [times = []] = series;
  return [times, ...lines.map(({ index }) => series[index] ?? [])];
}

function optionsOf(lines: readonly Line[], width: number): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`);
  const axis = { stroke: color('muted'), grid: { stroke: color('border'), width: 1 } };
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      { ...axis, values: (_plot, times) => times.map((at) => timeText(at * 1000).slice(0, 8)) },
      { ...axis, size: 56 },
    ],
    series: [
      {},
      ...lines.map(({ label, color: name }) => ({
        label,
        stroke: color(name),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}

function useIsDark(): boolean {
  const [query] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const changed = (): void => setDark(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return isDark;
}
