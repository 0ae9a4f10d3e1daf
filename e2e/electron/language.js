// What the language has learnt since Chromium 108, lent to every script of the window and its workers; only what is missing is added.
{
  const lend = (target, methods) => {
    for (const [name, value] of Object.entries(methods))
      if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
  };
  const copying = {
    toSorted(compare) {
      return this.slice().sort(compare);
    },
    toReversed() {
      return this.slice().reverse();
    },
    with(index, value) {
      const copy = this.slice();
      copy[index < 0 ? copy.length + index : index] = value;
      return copy;
    },
  };
  lend(Array.prototype, {
    ...copying,
    toSpliced(...args) {
      const copy = this.slice();
      copy.splice(...args);
      return copy;
    },
  });
  lend(Object.getPrototypeOf(Int8Array.prototype), copying);
  lend(Map, {
    groupBy(items, keyOf) {
      const groups = new Map();
      let index = 0;
      for (const item of items) {
        const key = keyOf(item, index++);
        if (groups.has(key)) groups.get(key).push(item);
        else groups.set(key, [item]);
      }
      return groups;
    },
  });
  lend(Object, { groupBy: (items, keyOf) => Object.assign(Object.create(null), Object.fromEntries(Map.groupBy(items, keyOf))) });
  lend(Set.prototype, {
    union(other) {
      return new Set([...this, ...other.keys()]);
    },
    intersection(other) {
      return new Set([...this].filter((value) => other.has(value)));
    },
    difference(other) {
      return new Set([...this].filter((value) => !other.has(value)));
    },
    isSubsetOf(other) {
      return [...this].every((value) => other.has(value));
    },
    isSupersetOf(other) {
      return [...other.keys()].every((value) => this.has(value));
    },
    isDisjointFrom(other) {
      return [...this].every((value) => !other.has(value));
    },
  });
  const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const lazily = (work) =>
    function (...args) {
      return work(this, ...args);
    };
  lend(iterator, {
    map: lazily(function* (items, change) {
      let index = 0;
      for (const item of items) yield change(item, index++);
    }),
    filter: lazily(function* (items, wanted) {
      let index = 0;
      for (const item of items) if (wanted(item, index++)) yield item;
    }),
    toArray() {
      return [...this];
    },
    some(wanted) {
      for (const item of this) if (wanted(item)) return true;
      return false;
    },
    every(wanted) {
      for (const item of this) if (!wanted(item)) return false;
      return true;
    },
    find(wanted) {
      for (const item of this) if (wanted(item)) return item;
      return undefined;
    },
    reduce(...args) {
      return [...this].reduce(...args);
    },
    forEach(work) {
      for (const item of this) work(item);
    },
  });
}
