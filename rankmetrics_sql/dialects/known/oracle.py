"""Oracle's, of its manual."""

from ..dialect import Dialect, words
from ..rules.text import order_by_nlssort

DIALECT = Dialect(
    name="oracle",
    vendors=("oracle",),
    parts=r"[A-Za-z][\w$#]*(?:@\w+)?",
    reserved=words(
        """
        access add alter audit char cluster column_value comment compress connect current date decimal delete
        exclusive file float grant identified immediate increment index initial integer level lock long
        maxextents minus mlslabel mode modify nested_table_id noaudit nocompress nowait number of offline online
        option pctfree prior public raw rename resource revoke row rowid rownum rows session share size smallint
        start successful synonym sysdate trigger uid validate varchar varchar2 view whenever
        """
    ),
    folds="upper",
    nan="none",
    double_type="BINARY_DOUBLE",  # DOUBLE PRECISION is a decimal number
    float32_type="BINARY_FLOAT",  # FLOAT has 64 bits
    text_type="VARCHAR2(4000)",  # a CLOB cannot be compared
    rules=(order_by_nlssort,),
    nothing="DUAL",
    end="",
    empty_lines=False,
)
