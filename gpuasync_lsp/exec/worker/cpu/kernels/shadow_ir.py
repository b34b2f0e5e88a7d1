"""The LLVM IR of shadow memory: a template in which `shadow.py` replaces `$WORD` with state addresses."""

from __future__ import annotations

from gpuasync_lsp.exec.worker.cpu.checks import ENTRY

UNCHECKED = """
define internal void @gpuasync.epoch() {
  ret void
}
define internal void @gpuasync.warp.epoch(i32 %w, i32 %members, i32 %alive) {
  ret void
}
define internal void @gpuasync.block(i32 %x, i32 %y, i32 %z, i32 %gx, i32 %gy) {
  ret void
}
"""
"""Definitions without effect of the functions that advance stamps, for kernels without shadow memory."""

COMMON = """
declare void @gpuasync_race(i64, i64, i64, i64)
declare void @gpuasync_uninitialized(i64, i64)
declare void @gpuasync_synchronized(i64, i32)

define internal i32 @gpuasync.tick() {
  %old = load i32, ptr $STAMP
  %new = add i32 %old, 1
  store i32 %new, ptr $STAMP
  ret i32 %new
}

define internal void @gpuasync.epoch() {
  %new = call i32 @gpuasync.tick()
  store i32 %new, ptr $FLOOR
  ret void
}

define internal void @gpuasync.block(i32 %x, i32 %y, i32 %z, i32 %gx, i32 %gy) {
  %new = call i32 @gpuasync.tick()
  store i32 %new, ptr $START
  store i32 %new, ptr $FLOOR
  %a = mul i32 %z, %gy
  %b = add i32 %a, %y
  %c = mul i32 %b, %gx
  %block = add i32 %c, %x
  store i32 %block, ptr $BLOCK
  store i64 0, ptr $PLACES
  %blocks = load ptr, ptr $BLOCKS
  %kept = and i32 %block, $LASTBLOCK
  %row = getelementptr [3 x i64], ptr %blocks, i32 %kept
  %new.w = zext i32 %new to i64
  store i64 %new.w, ptr %row
  ret void
}

define internal void @gpuasync.warp.epoch(i32 %w, i32 %members, i32 %alive) {
entry:
  %new = call i32 @gpuasync.tick()
  %missing = xor i32 %members, %alive
  %whole = icmp eq i32 %missing, 0
  br i1 %whole, label %all, label %some
all:
  %floor = getelementptr i32, ptr $WARPS, i32 %w
  store i32 %new, ptr %floor
  ret void
some:
  store i32 1, ptr $PARTIAL
  %first = mul i32 %w, 32
  br label %column
column:
  %u = phi i32 [ 0, %some ], [ %u.n, %next ]
  %u.bit = shl i32 1, %u
  %u.in = and i32 %u.bit, %members
  %u.member = icmp ne i32 %u.in, 0
  br label %gather
gather:
  %g = phi i32 [ 0, %column ], [ %g.n, %gather ]
  %most = phi i32 [ 0, %column ], [ %most.n, %gather ]
  %g.bit = shl i32 1, %g
  %g.in = and i32 %g.bit, %members
  %g.member = icmp ne i32 %g.in, 0
  %g.lane = add i32 %first, %g
  %g.p = getelementptr [32 x i32], ptr $KNOWN, i32 %g.lane, i32 %u
  %g.k = load i32, ptr %g.p
  %g.more = icmp ugt i32 %g.k, %most
  %g.take = and i1 %g.more, %g.member
  %most.n = select i1 %g.take, i32 %g.k, i32 %most
  %g.n = add i32 %g, 1
  %g.c = icmp ult i32 %g.n, 32
  br i1 %g.c, label %gather, label %spread
spread:
  %t = phi i32 [ 0, %gather ], [ %t.n, %told ]
  %t.bit = shl i32 1, %t
  %t.in = and i32 %t.bit, %members
  %t.member = icmp ne i32 %t.in, 0
  br i1 %t.member, label %tell, label %told
tell:
  %t.lane = add i32 %first, %t
  %t.p = getelementptr [32 x i32], ptr $KNOWN, i32 %t.lane, i32 %u
  %t.v = select i1 %u.member, i32 %new, i32 %most.n
  store i32 %t.v, ptr %t.p
  br label %told
told:
  %t.n = add i32 %t, 1
  %t.c = icmp ult i32 %t.n, 32
  br i1 %t.c, label %spread, label %next
next:
  %u.n = add i32 %u, 1
  %u.c = icmp ult i32 %u.n, 32
  br i1 %u.c, label %column, label %done
done:
  ret void
}

define internal void @gpuasync.sync(ptr %p, i32 %lane, i1 %releases, i1 %acquires) {
entry:
  %new = call i32 @gpuasync.tick()
  %new.w = zext i32 %new to i64
  %a = ptrtoint ptr %p to i64
  %a.s = lshr i64 %a, 2
  %h = mul i64 %a.s, -7046029254386353131
  %h.s = lshr i64 %h, 58
  %bit = shl i64 1, %h.s
  %row = getelementptr [4 x i64], ptr $THREADS, i32 %lane
  br i1 %releases, label %release, label %released
release:
  call void @gpuasync.note(ptr %row, i64 %new.w, i64 %bit)
  %blocks = load ptr, ptr $BLOCKS
  %block = load i32, ptr $BLOCK
  %kept = and i32 %block, $LASTBLOCK
  %mine = getelementptr [3 x i64], ptr %blocks, i32 %kept, i32 1
  call void @gpuasync.note(ptr %mine, i64 %new.w, i64 %bit)
  br label %released
released:
  br i1 %acquires, label %acquire, label %done
acquire:
  %second = getelementptr i64, ptr %row, i32 2
  call void @gpuasync.note(ptr %second, i64 %new.w, i64 %bit)
  %places = load i64, ptr $PLACES
  %places.n = or i64 %places, %bit
  store i64 %places.n, ptr $PLACES
  br label %done
done:
  %together = load i32, ptr $TOGETHER
  %beside = icmp ne i32 %together, 0
  br i1 %beside, label %others, label %end
others:
  %latest = load i64, ptr $LATEST
  %again = icmp eq i64 %latest, %a
  %looks = xor i1 %releases, true
  %known = and i1 %again, %looks
  br i1 %known, label %end, label %tell
tell:
  %next = select i1 %releases, i64 0, i64 %a
  store i64 %next, ptr $LATEST
  %r = zext i1 %releases to i32
  %q = zext i1 %acquires to i32
  %q.s = shl i32 %q, 1
  %how = or i32 %r, %q.s
  call void @gpuasync_synchronized(i64 %a, i32 %how)
  br label %end
end:
  ret void
}

define internal void @gpuasync.note(ptr %row, i64 %stamp, i64 %bit) {
  %before = load i64, ptr %row
  store i64 %stamp, ptr %row
  %places.p = getelementptr i64, ptr %row, i32 1
  %places = load i64, ptr %places.p
  %start = load i32, ptr $START
  %start.w = zext i32 %start to i64
  %this = icmp uge i64 %before, %start.w
  %kept = select i1 %this, i64 %places, i64 0
  %more = or i64 %kept, %bit
  store i64 %more, ptr %places.p
  ret void
}

define internal void @gpuasync.conflict(i64 %old, i64 %me, i64 %address, i64 %quiet) noinline cold {
entry:
  %muted = load i32, ptr $MUTED
  %silence = icmp eq i32 %muted, 1
  br i1 %silence, label %done, label %told
told:
  %both = and i64 %old, %me
  %both.a = and i64 %both, 1
  %atomics = icmp ne i64 %both.a, 0
  br i1 %atomics, label %done, label %lanes
lanes:
  %s.w = lshr i64 %old, 32
  %s = trunc i64 %s.w to i32
  %start = load i32, ptr $START
  %here = icmp uge i32 %s, %start
  %x = xor i64 %old, %me
  %x.w = and i64 %x, 3968
  %same.warp = icmp eq i64 %x.w, 0
  %mates = and i1 %here, %same.warp
  br i1 %mates, label %warp, label %tell
warp:
  %me.t = lshr i64 %me, 2
  %t = and i64 %me.t, 1023
  %w = lshr i64 %t, 5
  %floor.p = getelementptr i32, ptr $WARPS, i64 %w
  %floor = load i32, ptr %floor.p
  %met = icmp ult i32 %s, %floor
  br i1 %met, label %done, label %parts
parts:
  %partial = load i32, ptr $PARTIAL
  %part = icmp ne i32 %partial, 0
  br i1 %part, label %pair, label %tell
pair:
  %old.t = lshr i64 %old, 2
  %u = and i64 %old.t, 31
  %k.p = getelementptr [32 x i32], ptr $KNOWN, i64 %t, i64 %u
  %k = load i32, ptr %k.p
  %knows = icmp ult i32 %s, %k
  br i1 %knows, label %done, label %tell
tell:
  %old.s = lshr i64 %old, 12
  %old.site = and i64 %old.s, 524287
  %me.s = lshr i64 %me, 12
  %me.site = and i64 %me.s, 524287
  %me.h = mul i64 %me.site, 1048576
  %sites = or i64 %old.site, %me.h
  %key = or i64 %sites, %quiet
  %hash = mul i64 %key, -7046029254386353131
  %hash.s = lshr i64 %hash, 52
  %seen.p = getelementptr i64, ptr $SEEN, i64 %hash.s
  %seen = load i64, ptr %seen.p
  %known.pair = icmp eq i64 %seen, %key
  br i1 %known.pair, label %done, label %whose
whose:
  %unit = load i32, ptr $UNIT
  %alone = icmp uge i32 %s, %unit
  %of.unit = and i1 %here, %alone
  br i1 %of.unit, label %atomics.of, label %call
atomics.of:
  %first.s = lshr i64 %old, 2
  %first = and i64 %first.s, 1023
  %second.s = lshr i64 %me, 2
  %second = and i64 %second.s, 1023
  %released.p = getelementptr [4 x i64], ptr $THREADS, i64 %first, i64 0
  %released = load i64, ptr %released.p
  %to.p = getelementptr [4 x i64], ptr $THREADS, i64 %first, i64 1
  %to = load i64, ptr %to.p
  %acquired.p = getelementptr [4 x i64], ptr $THREADS, i64 %second, i64 2
  %acquired = load i64, ptr %acquired.p
  %from.p = getelementptr [4 x i64], ptr $THREADS, i64 %second, i64 3
  %from = load i64, ptr %from.p
  %behind.r = icmp ugt i64 %released, %s.w
  %behind.a = icmp ugt i64 %acquired, %s.w
  %shared = and i64 %to, %from
  %place = icmp ne i64 %shared, 0
  %both.o = and i1 %behind.r, %behind.a
  %ordered = and i1 %both.o, %place
  br i1 %ordered, label %done, label %call
call:
  call void @gpuasync_race(i64 %address, i64 %old, i64 %me, i64 %quiet)
  br label %done
done:
  ret void
}

define internal void @gpuasync.never.written(i64 %address, i64 %me) noinline cold {
  %muted = load i32, ptr $MUTED
  %silence = icmp ne i32 %muted, 0
  br i1 %silence, label %done, label %told
told:
  %me.s = lshr i64 %me, 12
  %me.site = and i64 %me.s, 524287
  %key = or i64 %me.site, 549754765312
  %hash = mul i64 %key, -7046029254386353131
  %hash.s = lshr i64 %hash, 52
  %seen.p = getelementptr i64, ptr $SEEN, i64 %hash.s
  %seen = load i64, ptr %seen.p
  %known = icmp eq i64 %seen, %key
  br i1 %known, label %done, label %tell
tell:
  store i64 %key, ptr %seen.p
  call void @gpuasync_uninitialized(i64 %address, i64 %me)
  br label %done
done:
  ret void
}

define internal i1 @gpuasync.same(ptr %p, i64 %value, i32 %known) alwaysinline {
  switch i32 %known, label %no [i32 1, label %one i32 2, label %two i32 4, label %four i32 8, label %eight]
one:
  %v1 = load i8, ptr %p, align 1
  %z1 = zext i8 %v1 to i64
  br label %equal
two:
  %v2 = load i16, ptr %p, align 1
  %z2 = zext i16 %v2 to i64
  br label %equal
four:
  %v4 = load i32, ptr %p, align 1
  %z4 = zext i32 %v4 to i64
  br label %equal
eight:
  %v8 = load i64, ptr %p, align 1
  br label %equal
equal:
  %v = phi i64 [ %z1, %one ], [ %z2, %two ], [ %z4, %four ], [ %v8, %eight ]
  %unchanged = icmp eq i64 %v, %value
  ret i1 %unchanged
no:
  ret i1 false
}

define internal i64 @gpuasync.word(i64 %meta) alwaysinline {
  %lane = load i32, ptr @gpuasync.now.thread
  %stamp = load i32, ptr $STAMP
  %stamp.w = zext i32 %stamp to i64
  %high = shl i64 %stamp.w, 32
  %lane.w = zext i32 %lane to i64
  %lane.s = shl i64 %lane.w, 2
  %a = or i64 %high, %lane.s
  %b = or i64 %a, %meta
  ret i64 %b
}
"""

OF_BLOCK = "  br label %recent"
OF_LAUNCH = """  %launch = load i32, ptr $LAUNCH
  %in = icmp uge i32 %s, %launch
  br i1 %in, label %whose, label %no
whose:
  %start = load i32, ptr $START
  %away = icmp ult i32 %s, %start
  br i1 %away, label %yes, label %recent
yes:
  ret i1 true"""
"""For `$EARLIER`: a word of workgroup memory with a stamp before the latest barrier is ordered; one of global
memory only if the same block or an earlier launch wrote it."""

CELLS = """
define internal i1 @gpuasync.unordered.$SPACE(i64 %old, i64 %me) alwaysinline {
entry:
  %s.w = lshr i64 %old, 32
  %s = trunc i64 %s.w to i32
$EARLIER
recent:
  %floor = load i32, ptr $FLOOR
  %before = icmp ult i32 %s, %floor
  br i1 %before, label %no, label %look
look:
  %x = xor i64 %old, %me
  %x.t = and i64 %x, 4092
  %other = icmp ne i64 %x.t, 0
  %pending = icmp eq i32 %s, -1
  %maybe = or i1 %other, %pending
  ret i1 %maybe
no:
  ret i1 false
}

define internal void @gpuasync.cell.$SPACE.write(ptr %cell, i64 %stride, i64 %me, i64 %address, i1 %same)
    alwaysinline {
entry:
  %a.p = getelementptr i64, ptr %cell, i64 %stride
  %b.p = getelementptr i64, ptr %a.p, i64 %stride
  %w = load i64, ptr %cell
  %a = load i64, ptr %a.p
  %b = load i64, ptr %b.p
  %w.u = call i1 @gpuasync.unordered.$SPACE(i64 %w, i64 %me)
  %a.u = call i1 @gpuasync.unordered.$SPACE(i64 %a, i64 %me)
  %b.u = call i1 @gpuasync.unordered.$SPACE(i64 %b, i64 %me)
  %w.s = lshr i64 %w, 32
  %begun = load i32, ptr $SINCE
  %begun.w = zext i32 %begun to i64
  %held = icmp uge i64 %w.s, %begun.w
  %any.content = or i1 %held, $DEFINED
  %silent = and i1 %same, %any.content
  br i1 %silent, label %unchanged, label %changes
unchanged:
  %ab.u = or i1 %a.u, %b.u
  br i1 %ab.u, label %quiet, label %settle
quiet:
  %read = select i1 %a.u, i64 %a, i64 %b
  call void @gpuasync.conflict(i64 %read, i64 %me, i64 %address, i64 $QUIET)
  br label %settle
settle:
  br i1 %w.u, label %keep, label %mark
mark:
  %silent.me = or i64 %me, $SILENT
  store i64 %silent.me, ptr %cell
  ret void
keep:
  ret void
changes:
  %wa = or i1 %w.u, %a.u
  %any = or i1 %wa, %b.u
  br i1 %any, label %w.check, label %store
w.check:
  br i1 %w.u, label %w.bad, label %a.check
w.bad:
  call void @gpuasync.conflict(i64 %w, i64 %me, i64 %address, i64 0)
  br label %a.check
a.check:
  br i1 %a.u, label %a.bad, label %b.check
a.bad:
  call void @gpuasync.conflict(i64 %a, i64 %me, i64 %address, i64 0)
  br label %b.check
b.check:
  br i1 %b.u, label %b.bad, label %store
b.bad:
  call void @gpuasync.conflict(i64 %b, i64 %me, i64 %address, i64 0)
  br label %store
store:
  store i64 %me, ptr %cell
  %a.some = icmp ne i64 %a, 0
  br i1 %a.some, label %clear.a, label %cleared.a
clear.a:
  store i64 0, ptr %a.p
  br label %cleared.a
cleared.a:
  %b.some = icmp ne i64 %b, 0
  br i1 %b.some, label %clear.b, label %cleared.b
clear.b:
  store i64 0, ptr %b.p
  br label %cleared.b
cleared.b:
  ret void
}

define internal void @gpuasync.cell.$SPACE.atomic(ptr %cell, i64 %stride, i64 %me, i64 %address, i1 %same)
    alwaysinline {
  %a.p = getelementptr i64, ptr %cell, i64 %stride
  %b.p = getelementptr i64, ptr %a.p, i64 %stride
  %w = load i64, ptr %cell
  %a = load i64, ptr %a.p
  %b = load i64, ptr %b.p
  call void @gpuasync.cell.$SPACE.write(ptr %cell, i64 %stride, i64 %me, i64 %address, i1 false)
  %w.k = and i64 %w, $PLAIN
  %plain = icmp eq i64 %w.k, 2
  %kept = select i1 %plain, i64 %w, i64 %b
  store i64 %a, ptr %a.p
  store i64 %kept, ptr %b.p
  ret void
}

define internal void @gpuasync.cell.$SPACE.read(ptr %cell, i64 %stride, i64 %me, i64 %address, i1 %same)
    alwaysinline {
entry:
  %w = load i64, ptr %cell
  %w.any = call i1 @gpuasync.unordered.$SPACE(i64 %w, i64 %me)
  %w.q = and i64 %w, $SILENT
  %w.loud = icmp eq i64 %w.q, 0
  br i1 %w.any, label %bad, label %first
bad:
  %quiet = select i1 %w.loud, i64 0, i64 $QUIET
  call void @gpuasync.conflict(i64 %w, i64 %me, i64 %address, i64 %quiet)
  br label %first
first:
  %a.p = getelementptr i64, ptr %cell, i64 %stride
  %a = load i64, ptr %a.p
  %a.u = call i1 @gpuasync.unordered.$SPACE(i64 %a, i64 %me)
  br i1 %a.u, label %second, label %take.a
take.a:
  store i64 %me, ptr %a.p
  ret void
second:
  %b.p = getelementptr i64, ptr %a.p, i64 %stride
  %b = load i64, ptr %b.p
  %b.u = call i1 @gpuasync.unordered.$SPACE(i64 %b, i64 %me)
  %x = xor i64 %a, %me
  %x.w = and i64 %x, 3968
  %far = icmp ne i64 %x.w, 0
  %s.w = lshr i64 %a, 32
  %s = trunc i64 %s.w to i32
  %start = load i32, ptr $START
  %away = icmp ult i32 %s, %start
  %strange = or i1 %far, %away
  %free = xor i1 %b.u, true
  %take = or i1 %strange, %free
  br i1 %take, label %take.b, label %done
take.b:
  store i64 %me, ptr %b.p
  br label %done
done:
  ret void
}
"""
"""Functions for the cells of one kind of memory. Accesses with stamps below `$SINCE` precede this launch
or block. The words of a cell are `%stride` words apart. Words that would stay 0 are not written, so
that their pages are never allocated.

The maximum stamp, which is that of a pending copy (`copies.py`), is unordered with all others."""

LOOP = """  %me = call i64 @gpuasync.word(i64 %meta)
  %same = call i1 @gpuasync.same(ptr %p, i64 %value, i32 %known)
  %first = lshr i64 %rel, {log}
  %end = add i64 %rel, %n
  %end.m = sub i64 %end, 1
  %final = lshr i64 %end.m, {log}
  br label %cells
cells:
  %i = phi i64 [ %first, %prepare ], [ %i.n, %next ]
  %cell = getelementptr {cell}, ptr %shadow, i64 %i
  %i.b = shl i64 %i, {log}
  %i.rel = sub i64 %i.b, %rel
  %at = add i64 %a, %i.rel
{check}  br label %compare
compare:
  call void @gpuasync.cell.{space}.{kind}(ptr %cell, i64 {stride}, i64 %me, i64 %at, i1 %same)
  br label %next
next:
  %i.n = add i64 %i, 1
  %more = icmp ule i64 %i.n, %final
  br i1 %more, label %cells, label %done
done:
  ret void
}}
"""

UNINITIALIZED = """  %last = load i64, ptr %cell
  %last.s = lshr i64 %last, 32
{known}
unwritten:
  call void @gpuasync.never.written(i64 %at, i64 %me)
"""

IN_BLOCK = """  %start = load i32, ptr $START
  %start.w = zext i32 %start to i64
  %never = icmp ult i64 %last.s, %start.w
  br i1 %never, label %unwritten, label %compare"""

WRITTEN = """  %never = icmp eq i64 %last.s, 0
  br i1 %never, label %before, label %compare
before:
  %written.p = getelementptr {{entry}}, ptr %region, i32 0, i32 6
  %written = load ptr, ptr %written.p
  %tracked = icmp ne ptr %written, null
  br i1 %tracked, label %bits, label %compare
bits:
  %byte = lshr i64 %i.b, 3
  %bit = and i64 %i.b, 7
  %byte.p = getelementptr i8, ptr %written, i64 %byte
  %mask = load i8, ptr %byte.p
  %bit.n = trunc i64 %bit to i8
  %mask.s = lshr i8 %mask, %bit.n
  %one = and i8 %mask.s, 1
  %is = icmp ne i8 %one, 0
  br i1 %is, label %compare, label %unwritten""".replace("{{entry}}", ENTRY)

DEVICE = """
define internal void @gpuasync.shadow.device.{kind}(ptr %p, i64 %n, i64 %meta,
    i64 %value, i32 %known) {{
  %a = ptrtoint ptr %p to i64
  %offset = sub i64 %a, {base}
  %inside = icmp ult i64 %offset, {size}
  br i1 %inside, label %look, label %done
look:
  %page = lshr i64 %offset, 12
  %numbers = inttoptr i64 {table} to ptr
  %place = getelementptr i32, ptr %numbers, i64 %page
  %number = load i32, ptr %place
  %regions = inttoptr i64 {regions} to ptr
  %region = getelementptr {entry}, ptr %regions, i32 %number
  %begin = load i64, ptr %region
  %shadow.p = getelementptr {entry}, ptr %region, i32 0, i32 4
  %shadow = load ptr, ptr %shadow.p
  %covered.p = getelementptr {entry}, ptr %region, i32 0, i32 5
  %covered = load i64, ptr %covered.p
  %rel = sub i64 %a, %begin
  %behind = add i64 %rel, %n
  %fits = icmp ule i64 %behind, %covered
  %some = icmp ne i64 %n, 0
  %has = and i1 %fits, %some
  br i1 %has, label %prepare, label %done
prepare:
  %covered.up = add i64 %covered, {rest}
  %count = lshr i64 %covered.up, {log}
{body}"""

SHARED = """
define internal void @gpuasync.shadow.shared.{kind}(ptr %p, i64 %n, i64 %meta,
    i64 %value, i32 %known) {{
  %a = ptrtoint ptr %p to i64
  %base = ptrtoint ptr addrspace(3) @gpuasync.shared to i64
  %rel = sub i64 %a, %base
  %behind = add i64 %rel, %n
  %has = icmp ule i64 %behind, {size}
  %whole = icmp uge i64 %behind, %n
  %some = icmp ne i64 %n, 0
  %fits = and i1 %has, %some
  %both = and i1 %fits, %whole
  br i1 %both, label %prepare, label %done
prepare:
  %shadow = getelementptr i8, ptr @gpuasync.cells, i64 0
{body}"""
