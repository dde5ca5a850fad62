import type { ELK, ElkExtendedEdge, ElkNode } from 'elkjs';
import ElkModule from 'elkjs';
import type { ChartBox, ChartPoint } from '../machines/charts.ts';

/** A drawing without positions: boxes by name, and labelled lines between them. */
export interface Drawing {
  readonly boxes: readonly { readonly id: string; readonly width: number }[];
  readonly lines: readonly { readonly from: string; readonly to: string; readonly label: string }[];
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, ChartBox>;
  /** The lines, in the order of the drawing. */
  readonly lines: readonly {
    readonly points: readonly ChartPoint[];
    readonly labelBox: ChartBox;
  }[];
}

export const BOX_WIDTH = 132;
export const BOX_HEIGHT = 40;
export const MARGIN = 12;
const LABEL_HEIGHT = 18;
/** The width of a letter of 11.5 px: the largest average among common system fonts. */
const LETTER_WIDTH = 6.4;
const LABEL_PADDING = 10;

/** Returns the size of the space that a text of 11 to 12 px needs, including a margin. */
export const labelSize = (text: string): { readonly width: number; readonly height: number } => ({
  width: Math.ceil(text.length * LETTER_WIDTH) + LABEL_PADDING,
  height: LABEL_HEIGHT,
});

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.padding': `[top=${MARGIN},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`,
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '28',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.edgeLabels.sideSelection': 'ALWAYS_UP',
  'elk.randomSeed': '1',
};

const Elk = ElkModule as unknown as new () => ELK;

/** Rounds to half a pixel. Further digits would make no visible difference. */
const rounded = (length: number | undefined): number => Math.round((length ?? 0) * 2) / 2;

const boxOf = ({ x, y, width, height }: Partial<ChartBox>): ChartBox => ({
  x: rounded(x),
  y: rounded(y),
  width: rounded(width),
  height: rounded(height),
});

function pointsOf({ sections: [section] = [] }: ElkExtendedEdge): ChartPoint[] {
  if (section === undefined) throw new Error('a line without a way');
  const { startPoint, bendPoints = [], endPoint } = section;
  return [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({
    x: rounded(x),
    y: rounded(y),
  }));
}

/** Computes the positions of boxes and lines, from left to right. The same drawing always has the same result. */
export async function place({ boxes, lines }: Drawing): Promise<Placed> {
  const graph: ElkNode = {
    id: 'chart',
    layoutOptions: OPTIONS,
    children: boxes.map(({ id, width }) => ({
      id,
      width,
      height: BOX_HEIGHT,
      // If several lines lead from a box back to itself, they are placed above and below the box, instead of one around
      // the other.
      layoutOptions: { 'elk.layered.edgeRouting.selfLoopDistribution': 'EQUALLY' },
    })),
    edges: lines.map(({ from, to, label }, n) => ({
      id: String(n),
      sources: [from],
      targets: [to],
      labels: [
        { text: label, ...labelSize(label), layoutOptions: { 'elk.edgeLabels.inline': 'true' } },
      ],
    })),
  };
  const { width, height, children = [], edges = [] } = await new Elk().layout(graph);
  return {
    width: rounded(width),
    height: rounded(height),
    boxes: new Map(children.map((child) => [child.id, boxOf(child)])),
    lines: edges.map((edge) => ({
      points: pointsOf(edge),
      labelBox: boxOf(edge.labels?.[0] ?? {}),
    })),
  };
}
