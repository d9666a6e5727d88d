/* Copyright of nobody. */
package org.shop;

import java.util.List;
import static org.shop.Till.open;
import org.shop.things.*;

/**
 * A shop.
 */
@Entity(name = "class Fake {")
public final class Sample<T extends Comparable<T>> extends Base implements Seller {
    /** How many. */
    public static final int LIMIT = 10;
    private final List<String> names = new ArrayList<>() {{ add("x"); }};
    static { load(); }

    public Sample(String name) { super(name); this.init(name); }

    /** Sells. */
    @Override
    public <K> Map<String, List<K>> sell(K thing, int... more) throws IOException {
        Runnable r = () -> deep(thing);
        String s = """
            void fake() { "
            """;
        if (thing == null) { throw new Missing("a"); }
        return Till.open(thing);
    }

    abstract void todo(char c);
    protected int[] array() { return new int[] {1}; }

    enum Size { SMALL(1), LARGE(2) { int x() { return 1; } }; private final int n; Size(int n) { this.n = n; } int n() { return n; } }

    interface Inner { int ONE = 1; void call(); default int two() { return 2; } }

    record Pair(int a, String b) { Pair { check(a); } static Pair of() { return new Pair(1, "b"); } }

    @interface Mark { String value() default "x"; }
}

class Second {}
