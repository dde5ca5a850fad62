import type { UseQueryResult } from '@tanstack/react-query';
import type { Answer } from '../api/client.ts';
import type { ProblemError } from '../api/problem.ts';
import { useRead } from '../api/use-read.ts';
import type { Chart } from './chart.ts';

/** Reads the chart of one version of a machine. Such a chart never changes, so it is read only once. */
export const useChart = (
  kind: string,
  version: number,
): UseQueryResult<Answer<Chart>, ProblemError> =>
  useRead('/machines/{kind}/{version}', { path: { kind, version: String(version) } });
