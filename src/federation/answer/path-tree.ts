import type { ResponsePath } from './entity-targets';
import { getOrMake } from '../../common/once';

interface PathNode {
  isEnd: boolean;
  readonly children: Map<string | number, PathNode>;
}

const createNode = (): PathNode => ({ isEnd: false, children: new Map() });

/**
 * Paths of errors, to determine whether one of them explains a null. The cost of a lookup is the path's length, however
 * many paths are known.
 */
export class PathTree {
  readonly #root = createNode();

  add(path: ResponsePath): void {
    let node = this.#root;
    for (const key of path) node = getOrMake(node.children, key, createNode);
    node.isEnd = true;
  }

  /**
   * Whether a known path is a prefix of this one, or vice versa: an error above a null explains it, and so does one
   * below.
   */
  touches(path: ResponsePath): boolean {
    let node = this.#root;
    for (const key of path) {
      if (node.isEnd) return true;
      const child = node.children.get(key);
      if (child === undefined) return false;
      node = child;
    }
    return node.isEnd || node.children.size > 0;
  }
}
