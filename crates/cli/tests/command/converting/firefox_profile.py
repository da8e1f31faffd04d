# Checks a profile of the Firefox Profiler: its tables, that places in them exist, and what markers say.
# Prints `marker NAME COUNT NANOSECONDS`, `sampled NANOSECONDS`, and `text NAME KEY VALUE`.
import json, sys
from decimal import Decimal
profile = json.load(open(sys.argv[1]), parse_float=Decimal)
meta = profile['meta']
assert meta['preprocessedProfileVersion'] == 55 and meta['startTime'] > 1e12, meta
schemas = {schema['name']: {field['key'] for field in schema['fields']} for schema in meta['markerSchema']}
def ns(milliseconds): return int(Decimal(milliseconds) * 1000000)
sums, sampled, texts, threads = {}, 0, set(), set()
for thread in profile['threads']:
    tables = {name: thread[name] for name in ('frameTable', 'funcTable', 'stackTable', 'samples', 'markers')}
    for name, table in tables.items():
        for column, values in table.items():
            assert not isinstance(values, list) or len(values) == table['length'], (name, column)
    frames, functions, stacks, samples, markers = tables.values()
    strings, categories = thread['stringArray'], len(meta['categories'])
    assert len(set(strings)) == len(strings)
    def are_in(values, size): return all(value is None or 0 <= value < size for value in values)
    assert are_in(functions['name'] + markers['name'], len(strings))
    assert are_in(frames['func'], functions['length']) and are_in(stacks['frame'], frames['length'])
    assert all(prefix is None or prefix < place for place, prefix in enumerate(stacks['prefix']))
    assert are_in(samples['stack'], stacks['length']) and samples['length'] >= 2
    assert samples['time'] == sorted(samples['time'])
    assert are_in(frames['category'] + markers['category'], categories)
    assert (thread['pid'], thread['tid']) not in threads
    threads.add((thread['pid'], thread['tid']))
    sampled += sum(ns(weight) for weight in samples['weight'])
    for name, start, end, phase, data, category in zip(*(markers[column] for column in (
            'name', 'startTime', 'endTime', 'phase', 'data', 'category'))):
        assert phase == (0 if end is None else 1)
        name, keys = strings[name], set(data) - {'type'}
        assert keys <= schemas.get(data['type'], set()), (name, data)
        assert ('error' in data) == (category == 1) or thread['pid'] == 'Lost events', (name, data)
        if data['type'].startswith('libc:') and phase == 1:
            count, total = sums.get(name, (0, 0))
            sums[name] = count + 1, total + ns(end) - ns(start)
        for key in keys: texts.add((name, key, data[key]))
        if thread['pid'] == 'Lost events': print('lost', name)
for name, (count, total) in sums.items(): print('marker', name, count, total)
print('sampled', sampled)
for text in sorted(texts): print('text', repr(text))
