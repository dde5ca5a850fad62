import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import { tellAgain } from '../model/kit/life-story.ts';
import {
  recordShape,
  recordStory,
  recordedShape,
  recordedStories,
  throughJson,
} from '../model/kit/recorded.ts';
import { shapeOf } from '../model/kit/shape.ts';
import { LIVES, storyOf } from './lives.ts';

/*
 * Records the shapes of machines, and the lives in `lives.ts`, of which there is no record yet. An existing record is
 * never overwritten. To record one again, delete its file. See README.md.
 */

for (const kind of LIFECYCLE_KINDS) {
  const shape = shapeOf(kind);
  if (recordedShape(kind, shape.version) !== undefined) continue;
  recordShape(shape);
  console.log(`recorded version ${shape.version} of ${kind}`);
}

const known = new Set(recordedStories());
for (const life of LIVES.filter(({ name }) => !known.has(name))) {
  const story = throughJson(await storyOf(life));
  tellAgain(story);
  recordStory(story);
  console.log(`recorded ${story.name}: ${story.steps.length} steps`);
}
